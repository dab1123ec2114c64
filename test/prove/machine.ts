import { execFile } from 'node:child_process';
import { cpus, release } from 'node:os';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command. Rejects with its output if it fails. */
export async function sh(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(command, args, { maxBuffer: 1 << 26 });
  return stdout.trim();
}

/** Why a part of the proof cannot run on this machine, if it cannot. */
export async function lacking(...tools: string[]): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`;
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const tool of tools) {
    const found = await sh('sh', '-c', `command -v ${tool}`).catch(() => '');
    if (found === '') return `${tool} is not installed`;
  }
  return undefined;
}

export async function describeMachine() {
  const model = cpus()[0]?.model ?? 'unknown';
  const virtual = await sh('systemd-detect-virt').catch(() => '');
  return {
    processors: `${cpus().length} x ${model}${virtual === '' || virtual === 'none' ? '' : ' (virtual)'}`,
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    date: new Date().toISOString(),
  };
}

/** Undoes what was mounted or created, in reverse order, even after failures. */
export class CleanUp {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step().catch(() => {});
  }
}

export async function mount(
  cleanUp: CleanUp,
  at: string,
  ...args: string[]
): Promise<() => Promise<void>> {
  await sh('mkdir', '-p', at);
  await sh('mount', ...args, at);
  let mounted = true;
  const unmount = async () => {
    if (mounted) await sh('umount', at).catch(() => sh('umount', '-l', at));
    mounted = false;
  };
  cleanUp.add(unmount);
  return unmount;
}
