/**
 * Does something `count` times, in batches of 1, 2, 4 …, and stops after a batch in which something
 * failed: what cannot be created at all is not tried a thousand times. @throws the first failure
 */
export async function slowStart(count: number, attempt: (index: number) => Promise<void>): Promise<void> {
  let done = 0
  for (let size = 1; done < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => done + index)
    const results = await Promise.allSettled(batch.map((index) => attempt(index)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    done += batch.length
  }
}
