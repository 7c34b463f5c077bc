import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { canMount, commandBeside, commandWithMounts } from './mount-namespace.ts'

suite('commandBeside()', { skip: (await canMount()) ? false : 'takes root' }, () => {
  const start = async (command: readonly string[]): Promise<Disposable & { readonly pid: number }> => {
    const [program = '', ...args] = command
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill('SIGKILL') }
  }
  const program = ['/bin/sh', '-c', 'echo started; exec sleep 1000']

  test('enters the mounts that the kubelet has given to a container', async () => {
    using container = await start(commandWithMounts(program, { mounts: [] }, '/'))
    assert.equal(commandBeside(container.pid, '/', ['true'])[0], 'nsenter')
  })
  test('does not follow a program into mounts of its own, as those of QEMU', async () => {
    using launcher = await start(['unshare', '-m', ...program])
    assert.deepEqual(commandBeside(launcher.pid, '/', ['true']), ['true'])
  })
})
