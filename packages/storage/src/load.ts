/** Imports a package that the host installs only if it needs it. */
export async function load<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw cause;
    throw new Error(`This url needs the package ${name}. Install it.`, { cause });
  }
}
