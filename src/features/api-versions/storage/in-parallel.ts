/**
 * Runs a task for each item with limited concurrency. Rejects with the first failure, after all
 * running tasks have ended.
 */
export async function inParallel<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  let failure: { readonly error: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failure === undefined; next = rest.next()) {
      await work(next.value).catch((error: unknown) => (failure ??= { error }))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (failure !== undefined) throw failure.error
}
