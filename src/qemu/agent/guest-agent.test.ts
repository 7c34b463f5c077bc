import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { lineOf, serveAgent, type AgentCommand } from './agent-server.fixture.ts'
import { connectGuestAgent, GuestAgentRefusal, GuestAgentUnavailable, type GuestAgentLimits } from './guest-agent.ts'

/** An agent that answers commands by a function; undefined: it says nothing. */
async function agent(t: TestContext, answer: (command: AgentCommand, socket: Socket) => unknown): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-'))
  const path = join(directory, 'agent')
  t.after(() => rm(directory, { recursive: true, force: true }))
  await serveAgent(t, path, answer)
  return path
}

suite('connectGuestAgent()', () => {
  test('returns answers in the order of the commands, and refusals as errors', async (t) => {
    const path = await agent(t, ({ execute }) => (execute === 'bad' ? { error: { desc: 'not here' } } : { return: execute }))
    using connection = await connectGuestAgent(path)
    const [one, two, three] = [connection.execute('one'), connection.execute('bad'), connection.execute('three')]
    assert.equal(await one, 'one')
    await assert.rejects(two, (error) => error instanceof GuestAgentRefusal && /not here/.test(error.message))
    assert.equal(await three, 'three')
  })

  test('skips what an earlier client left unread', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'agent-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const path = join(directory, 'agent')
    const server = createServer((socket) => {
      socket.write(Buffer.concat([lineOf({ return: 'late' }), Buffer.of(0xff), lineOf({ return: 1 })]))
      socket.once('data', (data: Buffer) => {
        const { arguments: { id } = {} } = JSON.parse(data.subarray(1).toString()) as AgentCommand
        socket.write(Buffer.concat([Buffer.of(0xff), lineOf({ return: id })]))
        socket.on('data', () => socket.write(lineOf({ return: 'current' })))
      })
    }).listen(path)
    await once(server, 'listening')
    using connection = await connectGuestAgent(path)
    assert.equal(await connection.execute('ask'), 'current')
    server.close()
  })

  const limits: GuestAgentLimits = { answerMs: 100, answerBytes: 10_000 }
  const hostile: readonly (readonly [string, (command: AgentCommand, socket: Socket) => unknown])[] = [
    ['says nothing', () => undefined],
    ['floods', (_, socket) => void socket.write(Buffer.alloc(1 << 20, 'x'))],
    ['sends no JSON', (_, socket) => void socket.write('hello\n')],
    ['sends no object', () => 7],
    ['hangs up', (_, socket) => void socket.destroy()],
  ]
  for (const [what, answer] of hostile)
    test(`leaves an agent that ${what}`, async (t) => {
      const path = await agent(t, answer)
      using connection = await connectGuestAgent(path, limits)
      await assert.rejects(connection.execute('ask'), GuestAgentUnavailable)
      await assert.rejects(connection.execute('again'), GuestAgentUnavailable)
    })

  for (const [what, text] of [
    ['bytes', 'x'],
    ['answers', '\u00ff{"return":1}\n'],
  ] as const)
    test(`leaves an agent that sends ${what} without end`, async (t) => {
      const directory = await mkdtemp(join(tmpdir(), 'agent-'))
      t.after(() => rm(directory, { recursive: true, force: true }))
      const path = join(directory, 'agent')
      const chunk = Buffer.from(text.repeat((1 << 16) / text.length), 'latin1')
      let sent = 0
      const server = createServer((socket) => {
        const send = (): void => {
          do sent += chunk.length
          while (socket.write(chunk))
        }
        socket.on('error', () => {}).on('drain', send)
        send()
      }).listen(path)
      t.after(() => server.close())
      await once(server, 'listening')
      await assert.rejects(connectGuestAgent(path, { answerMs: 60_000 }), GuestAgentUnavailable)
      assert.ok(sent < 64 << 20, `it has sent ${sent} bytes`)
    })

  test('fails without an agent', async () => {
    await assert.rejects(connectGuestAgent('/nonexistent/agent', limits), GuestAgentUnavailable)
  })
})
