import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import test from 'node:test'
import { aborted } from '../clock/abort.ts'
import { ProcessStopped, runProcess } from './process.ts'
import type { ProcessHost } from './process.ts'

class Host extends EventEmitter implements ProcessHost {
  exitCode: ProcessHost['exitCode'] = undefined
  exit(): void {}
}

test('runProcess() aborts on the first signal, terminates on the second, and sets the exit code', async () => {
  const host = new Host()
  const main = async (signal: AbortSignal): Promise<number> => {
    await aborted(signal)
    assert.ok(signal.reason instanceof ProcessStopped)
    assert.deepEqual([host.listenerCount('SIGTERM'), host.listenerCount('SIGINT')], [0, 0])
    return 3
  }
  const running = runProcess(main, () => assert.fail(), { host })
  host.emit('SIGINT', 'SIGINT')
  await running
  assert.equal(host.exitCode, 3)
})

test('runProcess() reports an error and ends with 1', async () => {
  const host = new Host()
  const errors: unknown[] = []
  const cause = new Error('broken')
  await runProcess(
    () => Promise.reject(cause),
    (error) => errors.push(error),
    { host },
  )
  assert.deepEqual(errors, [cause])
  assert.equal(host.exitCode, 1)
  assert.deepEqual([host.listenerCount('SIGTERM'), host.listenerCount('SIGINT')], [0, 0])
})

test('runProcess() aborts the signal of background work when the program fails', async () => {
  const background = Promise.withResolvers<unknown>()
  const main = async (signal: AbortSignal): Promise<number> => {
    void aborted(signal).then(() => background.resolve(signal.reason))
    throw new Error('broken')
  }
  await runProcess(main, () => {}, { host: new Host() })
  assert.ok((await background.promise) instanceof ProcessStopped)
})

test('a process ends although its program left work behind', async () => {
  const program = `
    import { runProcess } from ${JSON.stringify(import.meta.resolve('./process.ts'))}
    await runProcess(async () => { setInterval(() => {}, 1000); throw new Error('broken') }, () => {}, { lingerMs: 50 })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.equal(code, 1)
})
