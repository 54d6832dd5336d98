/** Wait until it is so; fails when it never is. */
export async function until(isSo: () => boolean | Promise<boolean>, patience = 50_000): Promise<void> {
  const deadline = Date.now() + patience;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It never came to be');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
