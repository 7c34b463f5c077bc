import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { hasConnectionTo } from './connections.ts'

suite('hasConnectionTo()', () => {
  for (const host of ['127.0.0.1', '::1'])
    test(`finds a connection of the process itself to ${host}`, async () => {
      await using server = createServer((socket) => socket.resume()).listen(0, host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      assert.equal(await hasConnectionTo(process.pid, port), false, 'it only listens')
      const socket = connect(port, host)
      await once(socket, 'connect')
      assert.equal(await hasConnectionTo(process.pid, port), true)
      assert.equal(await hasConnectionTo(process.ppid, port), false, 'another process has none')
      socket.destroy()
      await once(socket, 'close')
      assert.equal(await hasConnectionTo(process.pid, port), false)
    })

  test('rejects for a process that has ended', async () => {
    await assert.rejects(hasConnectionTo(2 ** 22 + 1, 1), { code: 'ENOENT' })
  })
})
