/** Imports a package that apps install only if they need it. */
export async function load<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw cause;
    throw new Error(`This URL needs the package ${name}. Install it.`, { cause });
  }
}
