import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'

const words = [
  '',
  'a',
  'default',
  'kube-system',
  '..',
  '%2e%2e',
  '%00',
  '\u202e',
  'x'.repeat(300),
  'ümläut',
  '💥',
  '-1',
  'null',
  'Constructor',
  '__proto__',
  'toString',
] as const

/** Returns a string that parsers may not expect. */
export function hostileWord(random: SeededRandom): string {
  return random.pick(words)
}

/**
 * Returns a small random JSON value, with keys like those of JavaScript's prototypes and numbers
 * that a double cannot represent.
 */
export function hostileValue(random: SeededRandom, depth: number = 3): unknown {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.pick([0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -0])
    case 3:
    case 4:
    case 5:
      return hostileWord(random)
    case 6:
      return Array.from({ length: random.below(4) }, () => hostileValue(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(['metadata', 'spec', 'status', 'data', 'name', '__proto__', 'constructor', '$patch', '', 'a.b/c']),
          hostileValue(random, depth - 1),
        ]),
      )
  }
}

/** Returns an object of a kind with random errors. */
export function hostileObject(random: SeededRandom, apiVersion: string, kind: string): object {
  const metadata: Record<string, unknown> = {
    name: random.chance(0.7) ? `fuzz-${random.below(20)}` : hostileValue(random, 1),
    ...(random.chance(0.2) ? { labels: hostileValue(random, 2) } : {}),
    ...(random.chance(0.2) ? { finalizers: hostileValue(random, 1) } : {}),
    ...(random.chance(0.2) ? { ownerReferences: hostileValue(random, 2) } : {}),
    ...(random.chance(0.1) ? { managedFields: hostileValue(random, 2) } : {}),
    ...(random.chance(0.1) ? { resourceVersion: hostileValue(random, 0) } : {}),
    ...(random.chance(0.1) ? { creationTimestamp: hostileValue(random, 0) } : {}),
  }
  return {
    ...(random.chance(0.9) ? { apiVersion } : {}),
    ...(random.chance(0.9) ? { kind } : {}),
    metadata: random.chance(0.95) ? metadata : hostileValue(random),
    ...(random.chance(0.8) ? { spec: hostileValue(random) } : {}),
    ...(random.chance(0.3) ? { data: hostileValue(random) } : {}),
    ...(random.chance(0.2) ? { status: hostileValue(random) } : {}),
  }
}
