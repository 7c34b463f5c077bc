import { PassThrough } from 'node:stream'
import type { CliContext } from './context.ts'

/** A context that records output and has a manual clock. */
export interface TestContext {
  readonly context: CliContext
  readonly printed: { stdout: string; stderr: string }
  nowMs: number
}

export function testContext({ isTTY = false, input = '', env = {} as Readonly<Record<string, string>> } = {}): TestContext {
  const printed = { stdout: '', stderr: '' }
  const stdin = new PassThrough()
  stdin.end(input)
  const streamOf = (name: 'stdout' | 'stderr'): CliContext['process']['stdout'] => ({
    isTTY,
    write: (text) => void (printed[name] += text),
  })
  const made: TestContext = {
    printed,
    nowMs: 0,
    context: {
      process: { stdout: streamOf('stdout'), stderr: streamOf('stderr'), stdin: stdin as unknown as NodeJS.ReadStream, env },
      now: () => made.nowMs,
      sleep: async () => {},
      signal: new AbortController().signal,
    },
  }
  return made
}
