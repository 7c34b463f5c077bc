/** Numbers below a limit that are the same for the same seed. */
export function createDice(start: number): (limit: number) => number {
  let state = start
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
