import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A command that an agent gets. */
export interface AgentCommand {
  readonly execute: string
  readonly arguments?: Readonly<Record<string, unknown>>
}

/**
 * Serves a unix socket as an agent in a guest does: it answers each command by a function, and
 * nothing for undefined.
 */
export async function serveAgent(t: TestContext, path: string, answer: (command: AgentCommand, socket: Socket) => unknown): Promise<void> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1').replaceAll('\u00ff', '')
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const command = JSON.parse(text.slice(0, end)) as AgentCommand
        text = text.slice(end + 1)
        if (command.execute === 'guest-sync-delimited')
          socket.write(Buffer.concat([Buffer.of(0xff), lineOf({ return: command.arguments?.['id'] })]))
        else {
          const found = answer(command, socket)
          if (found !== undefined) socket.write(lineOf(found))
        }
      }
    })
  }).listen(path)
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

/** Writes an answer as a line of JSON. */
export function lineOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
