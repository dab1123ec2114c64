import type { Results } from './results.js';

/** Where a figure is not what is promised, in words: nobody should have to find it in a table. */
export function faultsOf(results: Results): string {
  const { simulated, wrong = [], images, kills, keyv, faults, records, lies, full } = results;
  const found: string[] = [];
  const tell = (is: boolean, what: string) => is && found.push(`- ${what}`);
  tell(simulated?.violation !== undefined, 'The simulator found a violation.');
  for (const { name, states } of wrong)
    tell(states === undefined, `The simulator did not find this mistake: ${name}.`);
  for (const row of images.filter(({ durability }) => durability === 'full')) {
    const { fileSystem, broken, missing, withOrphans } = row;
    tell(
      broken + missing + withOrphans > 0,
      `A power cut on ${fileSystem} broke a promise or left orphans.`,
    );
  }
  for (const row of kills)
    tell(row.broken + row.missing + row.orphans > 0, 'kill -9 broke a promise.');
  for (const { store, broken, problems, leaked } of keyv) {
    tell(broken + problems + leaked > 0, `A kill broke a promise of metadata in ${store}.`);
  }
  for (const { fault, broken, retried, poisoned, unanswered } of faults) {
    tell(broken + retried + poisoned > 0, `When ${fault}, a rule was broken.`);
    tell(unanswered > 0, `When ${fault}, a call got no response.`);
  }
  for (const row of records) {
    const { fault, broken, orphans, failedReads, failedAfter, unanswered, late } = row;
    tell(broken + orphans + failedReads + failedAfter > 0, `When ${fault}, a promise was broken.`);
    tell(unanswered > 0, `When ${fault}, a call got no response.`);
    tell(
      late > 0 && fault.endsWith('EIO'),
      `When ${fault}, the metadata accepted a change afterwards.`,
    );
  }
  for (const { silent } of lies)
    tell(silent > 0, 'When the system lied about a write, wrong data was returned.');
  for (const { what, answers, worksAgain, broken, failedReads } of full) {
    const others = Object.keys(answers).filter((status) => status !== '507');
    tell(
      others.length > 0,
      `With no ${what} left, some responses had status ${others.join(', ')} instead of 507.`,
    );
    tell(!worksAgain || broken + failedReads > 0, `A disk with no ${what} left broke a promise.`);
  }
  const { broken = 0, missing = 0, orphans = 0, damaged = 0 } = results.manyHosts ?? {};
  tell(broken + missing + orphans + damaged > 0, 'Several hosts broke a promise.');
  return found.join('\n') || 'None.';
}
