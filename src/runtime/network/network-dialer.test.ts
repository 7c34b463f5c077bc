import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#runtime/clock/clock.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createNamespaceDialer } from './network-dialer.ts'

const cannot = spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0 ? false : 'network namespaces cannot be made'

/** Greets, answers after the end of what it gets, and answers datagrams. */
const server = `const { createServer } = require('node:net')
createServer({ allowHalfOpen: true }, (socket) => {
  let size = 0
  socket.on('error', () => {}).on('data', (chunk) => (size += chunk.length)).on('end', () => socket.end(String(size)))
  socket.write('welcome ')
}).listen(80, '127.0.0.1', () => {
  const datagrams = require('node:dgram').createSocket('udp4')
  datagrams.on('message', (message, { port, address }) => datagrams.send('got ' + message, port, address))
  datagrams.bind(53, '127.0.0.1', () => console.log('ready'))
})`

suite('createNamespaceDialer()', { skip: cannot, timeout: 60_000 }, () => {
  let child: ChildProcess
  before(async () => {
    child = spawn('unshare', ['--net', '/bin/sh', '-c', 'ip link set lo up; exec "$0" --eval "$1"', process.execPath, server])
    assert.ok(child.stdout !== null)
    await once(child.stdout, 'data')
  })
  after(() => child.kill('SIGKILL'))
  const dialer = (clock = systemClock) => createNamespaceDialer(`/proc/${child.pid}/ns/net`, clock)
  const { signal } = new AbortController()

  test('connects many at once, and loses no byte of either direction', async () => {
    const own = dialer()
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const socket = await own.connect('127.0.0.1', 80, signal)
        // What the server says first arrives meanwhile.
        await sleep(index % 5)
        socket.allowHalfOpen = true
        socket.end(Buffer.alloc(index * 10_000))
        return text(socket)
      }),
    )
    assert.deepEqual(
      answers,
      answers.map((_, index) => `welcome ${index * 10_000}`),
    )
  })

  test('reports the error of the system, and the reason of the signal', async () => {
    const own = dialer()
    await assert.rejects(own.connect('127.0.0.1', 81, signal), { code: 'ECONNREFUSED' })
    await assert.rejects(own.connect('192.0.2.1', 80, signal), { code: 'ENETUNREACH' })
    const reason = new Error('enough')
    await assert.rejects(own.connect('127.0.0.1', 80, AbortSignal.abort(reason)), reason)
    const late = new AbortController()
    const connecting = own.connect('127.0.0.1', 80, late.signal)
    late.abort(reason)
    await assert.rejects(connecting, reason)
  })

  test('opens sockets for datagrams', async () => {
    const socket = await dialer().openDatagrams()
    const answered = once(socket, 'message')
    socket.send('this', 53, '127.0.0.1')
    assert.equal(String(((await answered) as [Buffer])[0]), 'got this')
    socket.close()
  })

  test('starts its child again when it was killed, and ends it when it is not used', async () => {
    const others = children()
    const ownChildren = (): number[] => children().filter((pid) => !others.includes(pid))
    const clock = createVirtualClock()
    const own = dialer(clock)
    const greeted = async (): Promise<string> => String(await buffer((await own.connect('127.0.0.1', 80, signal)).end()))
    assert.equal(await greeted(), 'welcome 0')
    const [first = 0] = ownChildren()
    process.kill(first, 'SIGKILL')
    while (readFileSync(childrenFile, 'utf8').split(' ').includes(String(first))) await sleep(5)
    assert.equal(await greeted(), 'welcome 0')
    assert.equal(ownChildren().length, 1)
    await clock.advance(120_000)
    while (ownChildren().length > 0) await sleep(5)
    assert.equal(await greeted(), 'welcome 0')
  })

  test('says why the network cannot be entered', async () => {
    const own = createNamespaceDialer('/nowhere', systemClock)
    await assert.rejects(own.connect('127.0.0.1', 80, signal), /cannot be entered: .*\/nowhere/)
  })
})

const childrenFile = `/proc/self/task/${process.pid}/children`

/** Lists the children of this process that open sockets. */
function children(): number[] {
  const all = readFileSync(childrenFile, 'utf8').trim().split(' ').map(Number)
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serveRequests')
    } catch {
      return false
    }
  })
}
