/** Runs at most so many functions at once; others wait in order. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Creates slots for work that must not run all at once. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => void waiting.push(resolve))
      try {
        return await work()
      } finally {
        // A slot is handed over, and not free in between.
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      }
    },
  }
}
