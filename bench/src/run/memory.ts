import { readFileSync, writeFileSync } from 'node:fs';

/** The ids of a process and its descendants. Linux only. */
function family(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`) ?? '';
  return [
    pid,
    ...children
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => family(Number(child))),
  ];
}

/** Resets the peak of the resident memory. */
export function resetPeak(pid: number): void {
  for (const one of family(pid)) {
    try {
      writeFileSync(`/proc/${one}/clear_refs`, '5');
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

/** The peak of the resident memory since the last reset, in bytes. `undefined` except on Linux. */
export function peakMemory(pid: number): number | undefined {
  const peaks = family(pid).map((one) => {
    const status = textOf(`/proc/${one}/status`) ?? '';
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  });
  const sum = peaks.reduce((all, one) => all + one, 0);
  return sum === 0 ? undefined : sum;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** A process may end meanwhile, and other systems have no /proc. */
const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
