/** Work that may have to run alone. */
interface Work {
  readonly exclusive?: string
}

/**
 * Runs jobs in their order, `lanes` at a time; an exclusive one runs when all others before it have
 * ended, and alone.
 */
export async function runInLanes<J extends Work>(jobs: readonly J[], lanes: number, run: (job: J) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  for (const job of jobs) {
    const most = job.exclusive === undefined ? lanes : 1
    while (running.size >= most) await Promise.race(running)
    const work: Promise<void> = run(job).finally(() => running.delete(work))
    running.add(work)
    if (job.exclusive !== undefined) await work
  }
  await Promise.all(running)
}
