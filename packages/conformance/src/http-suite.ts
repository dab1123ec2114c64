import { openContext } from './actions/context.js';
import type { Dialect } from './actions/dialect.js';
import { actionCases } from './actions/index.js';
import type { HttpServer } from './http/server.js';
import { jsonApi } from './json-api/index.js';
import { register, runCase, type TestFunction } from './suite.js';

/**
 * A server for one case. Several cases may share a running server, because each uses new buckets.
 */
export interface HttpFixture extends HttpServer {
  /** Called after the case, even if it failed. */
  readonly dispose?: () => Promise<void>;
}

/**
 * Registers tests that check whether a server fulfils all promises of the interface over HTTP:
 * every action in one dialect, and the wire format of that dialect. Cases that need a capability
 * which the dialect lacks are omitted.
 *
 * The server must know two users by their credentials in that dialect: alice, with the principal
 * `{ tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' }`, and bob, with
 * `{ tenantCode: 'globex', tenantId: '2002', userId: 'u-bob', userName: 'Bob' }`. In the JSON
 * interface, they send `Authorization: Bearer alice` and `Bearer bob`. Requests without credentials
 * are anonymous. Cases may run concurrently if alice may own two buckets for each.
 */
export function httpSuite(
  test: TestFunction,
  open: () => Promise<HttpFixture>,
  dialect: Dialect = jsonApi,
): void {
  const { offers } = dialect.traits;
  const cases = [...actionCases, ...dialect.cases].filter(({ needs = [] }) =>
    needs.every((capability) => offers.has(capability)),
  );
  register(test, cases, async (rule) => {
    const fixture = await open();
    const { context, cleanUp } = openContext(dialect, fixture);
    await runCase('The interface', rule, () => rule.prove(context), [cleanUp, fixture.dispose]);
  });
}
