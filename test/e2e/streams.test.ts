import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { findKubectls, noKubectl } from '../support/kubectl.ts'
import { type OneNode, startOneNode } from '../support/one-node.ts'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The first part of what a program prints that matches. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = ''
  for (;;) {
    const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    text += chunk.toString()
    const found = pattern.exec(text)
    if (found !== null) return found
  }
}

// Old ones speak SPDY, newer ones WebSocket, and all of them SPDY for port-forward, the newer inside of a WebSocket.
suite('kubectl and containers', { skip: noKubectl }, () => {
  let node: OneNode
  const big = randomBytes(10_000_000)
  const server = createServer((request, response) => void request.pipe(response.writeHead(200, { 'x-path': request.url ?? '' })))
  let port = 0
  before(async () => {
    node = await startOneNode()
    await node.runPod('one', { main: 'exec sleep 1000' })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await node[Symbol.asyncDispose]()
  })

  for (const { path, version } of findKubectls()) {
    test(`kubectl ${version} exec runs commands beside a container, and exits as they do`, async () => {
      const { code, stdout, stderr } = await node.kubectl(path, ['exec', 'one', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'])
      assert.deepEqual([code, stdout, stderr], [7, 'out\n', 'err\ncommand terminated with exit code 7\n'])
      const piped = await node.kubectl(path, ['exec', '-i', 'one', '--', 'tr', 'a-z', 'A-Z'], { input: 'hello' })
      assert.deepEqual([piped.code, piped.stdout], [0, 'HELLO'])
      const missing = await node.kubectl(path, ['exec', 'one', '--', 'nosuch'])
      assert.equal(missing.code, 1)
      assert.match(missing.stderr, /exec: "nosuch": executable file not found in \$PATH/)
    })

    test(`kubectl ${version} exec carries 10 MB of anything, both ways`, async () => {
      const child = spawn(path, ['exec', '-i', 'one', '--', 'cat'], { env: node.env, stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin.end(big)
      const answer = Buffer.concat((await child.stdout.toArray()) as Buffer[])
      assert.deepEqual([answer.length, digest(answer)], [big.length, digest(big)])
    })

    test(`kubectl ${version} port-forward carries several connections at once`, async () => {
      const child = spawn(path, ['port-forward', 'one', `:${port}`], { env: node.env, stdio: ['ignore', 'pipe', 'inherit'] })
      try {
        const [, local] = await printed(child, /127\.0\.0\.1:(\d+) ->/)
        const body = big.subarray(0, 1_000_000)
        const answers = await Promise.all(
          Array.from({ length: 5 }, async (_, index) => {
            const answer = await fetch(`http://127.0.0.1:${local}/${index}`, { method: 'POST', body, headers: { connection: 'close' } })
            return [answer.headers.get('x-path'), digest(new Uint8Array(await answer.arrayBuffer()))]
          }),
        )
        assert.deepEqual(
          answers,
          Array.from({ length: 5 }, (_, index) => [`/${index}`, digest(body)]),
        )
      } finally {
        child.kill()
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
    })
  }
})
