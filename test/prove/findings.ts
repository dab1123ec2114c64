import type { Results } from './results.js';

/** Every figure that breaks a promise, so that nobody has to search the tables. */
export function faultsOf(results: Results): readonly string[] {
  const { simulated, wrong = [], images, kills, keyv, faults, records, lies, full } = results;
  const found: string[] = [];
  const add = (is: boolean, what: string) => is && found.push(`- ${what}`);
  add(simulated?.violation !== undefined, 'The simulator found a violation.');
  for (const { name, states } of wrong)
    add(states === undefined, `The simulator did not find this mistake: ${name}.`);
  for (const row of images.filter(({ durability }) => durability === 'full')) {
    const { fileSystem, broken, missing, withOrphans } = row;
    add(
      broken + missing + withOrphans > 0,
      `A power cut on ${fileSystem} broke a promise or left orphans.`,
    );
  }
  for (const row of kills)
    add(row.broken + row.missing + row.orphans > 0, 'kill -9 broke a promise.');
  for (const { store, broken, problems, leaked } of keyv) {
    add(broken + problems + leaked > 0, `A kill broke a promise of metadata in ${store}.`);
  }
  for (const { fault, broken, retried, poisoned, unanswered } of faults) {
    add(broken + retried + poisoned > 0, `When ${fault}, a rule was broken.`);
    add(unanswered > 0, `When ${fault}, a call got no response.`);
  }
  for (const row of records) {
    const { fault, broken, orphans, failedReads, failedAfter, unanswered, late } = row;
    add(broken + orphans + failedReads + failedAfter > 0, `When ${fault}, a promise was broken.`);
    add(unanswered > 0, `When ${fault}, a call got no response.`);
    add(
      late > 0 && fault.endsWith('EIO'),
      `When ${fault}, the metadata accepted a change afterwards.`,
    );
  }
  for (const { silent } of lies)
    add(silent > 0, 'When the system lied about a write, wrong data was returned.');
  for (const { what, answers, worksAgain, broken, failedReads } of full) {
    const others = Object.keys(answers).filter((status) => status !== '507');
    add(
      others.length > 0,
      `With no ${what} left, some responses had status ${others.join(', ')} instead of 507.`,
    );
    add(!worksAgain || broken + failedReads > 0, `A disk with no ${what} left broke a promise.`);
  }
  const { broken = 0, missing = 0, orphans = 0, damaged = 0 } = results.manyHosts ?? {};
  add(broken + missing + orphans + damaged > 0, 'Several hosts broke a promise.');
  return found;
}
