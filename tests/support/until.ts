/** Poll until the condition is true. Fails after a timeout in milliseconds. */
export async function until(isSo: () => boolean | Promise<boolean>, patience = 50_000): Promise<void> {
  const deadline = Date.now() + patience;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('The condition did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
