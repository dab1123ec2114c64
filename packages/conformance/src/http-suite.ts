import { openContext } from './actions/context.js';
import type { Dialect } from './actions/dialect.js';
import { actionCases } from './actions/index.js';
import type { HttpServer } from './http/server.js';
import { jsonApi } from './json-api/index.js';
import { register, runCase, type TestFunction } from './suite.js';

/** A server for one case. Several cases may share a running one: each uses buckets of its own. */
export interface HttpFixture extends HttpServer {
  /** Runs after the case, also after a failed one. */
  readonly dispose?: () => Promise<void>;
}

/**
 * All that the interface promises over HTTP, as tests of one server: every action, spoken in one
 * dialect, and what the wire of that dialect promises beyond. A case that needs what the dialect
 * lacks is left out.
 *
 * The server knows the principal `{ tenantCode: 'acme', tenantId: '1001', userId: 'u-alice',
 * userName: 'Alice' }` by the credentials of alice in that dialect, and `{ 'globex', '2002',
 * 'u-bob', 'Bob' }` by those of bob; a request without credentials is anonymous. Those of the JSON
 * interface are `Authorization: Bearer alice` and `Bearer bob`. Cases may run at the same time, as
 * long as alice may own two buckets for each.
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
