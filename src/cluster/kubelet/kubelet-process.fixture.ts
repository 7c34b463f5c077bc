import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Client } from '#client/client.ts'
import { TransportError } from '#client/client.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { createKubelet } from './kubelet.ts'

// A kubelet without an API, as a process of its own, that dies by SIGKILL just before its Nth step
// that others could see: a write, a rename, a process made, signalled or removed. Just after one
// step is just before the next. usage: kubelet-process.fixture.ts DIRECTORY STEP (0: never)
const [directory = '', at = '0'] = process.argv.slice(2)
let steps = 0

function step(): void {
  if (++steps === Number(at)) process.kill(process.pid, 'SIGKILL')
}

function stepping<F extends (...args: never[]) => unknown>(original: F): F {
  return ((...args: Parameters<F>): unknown => {
    step()
    return original(...args)
  }) as F
}

// The kubelet's imports are live: what it does to the disk and to processes passes through here
// from now on.
fs.renameSync = stepping(fs.renameSync)
fs.writeFileSync = stepping(fs.writeFileSync)
fs.promises.rm = stepping(fs.promises.rm)
childProcess.spawn = stepping(childProcess.spawn) as typeof childProcess.spawn
const kill = process.kill.bind(process)
process.kill = (pid, signal) => {
  if (pid !== process.pid) step()
  return kill(pid, signal)
}
syncBuiltinESMExports()

const refuse = (): Promise<never> => Promise.reject(new TransportError('nobody listens'))
const unreachable: Client = {
  get: refuse,
  list: refuse,
  watch: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
  create: refuse,
  update: refuse,
  patch: refuse,
  delete: refuse,
}

setInterval(() => {}, 60_000)
await createKubelet({
  client: unreachable,
  nodeName: 'n1',
  dataDirectory: directory,
  resolveImage: () => Promise.resolve({ rootDirectory: '/', entrypoint: [] }),
  clock: systemClock,
  log: silentLogger,
  environment: { PATH: '/usr/bin:/bin' },
  version: 'v0.0.0',
}).run(new AbortController().signal)
