import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { systemClock } from '#runtime/clock/clock.ts'
import { kubectlsUnderTest, noKubectl } from '../support/kubectl.ts'
import { type OneNode, startOneNode } from '../support/one-node.ts'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The program `script`, which allocates the terminal that kubectl requires. */
const terminal = '/usr/bin/script'
const noTerminal = existsSync(terminal) ? false : `there is no ${terminal}`

/** Returns the first match in the output of a program. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = ''
  for (;;) {
    const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    text += chunk.toString()
    const found = pattern.exec(text)
    if (found !== null) return found
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !condition(); await systemClock.sleep(20))
    assert.ok(Date.now() < end, 'it did not come true in time')
}

// Old ones speak SPDY, newer ones WebSocket, and all of them SPDY for port-forward, the newer
// inside of a WebSocket.
suite('streams between kubectl and containers', { skip: noKubectl }, () => {
  let node: OneNode
  const big = randomBytes(10_000_000)
  const server = createServer((request, response) => void request.pipe(response.writeHead(200, { 'x-path': request.url ?? '' })))
  let port = 0
  before(async () => {
    node = await startOneNode()
    await node.runPod('one', { main: 'exec sleep 1000' })
    await node.runPod('talk', { a: 'echo a1; echo a2; echo a3; exec sleep 1000', b: 'echo b1; exec sleep 1000' })
    await node.runPod(
      'held',
      { main: 'exec sleep 1000' },
      { envFrom: [{ configMapRef: { name: 'missing' } }] },
      'CreateContainerConfigError',
    )
    await node.runPod('brief', { main: 'echo begin; sleep 0.5; echo end' })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await node[Symbol.asyncDispose]()
  })

  for (const { path, version } of kubectlsUnderTest()) {
    test(`kubectl ${version} exec runs commands in a container, and returns their exit codes`, async () => {
      const { code, stdout, stderr } = await node.kubectl(path, ['exec', 'one', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'])
      assert.deepEqual([code, stdout, stderr], [7, 'out\n', 'err\ncommand terminated with exit code 7\n'])
      const piped = await node.kubectl(path, ['exec', '-i', 'one', '--', 'tr', 'a-z', 'A-Z'], { input: 'hello' })
      assert.deepEqual([piped.code, piped.stdout], [0, 'HELLO'])
      const missing = await node.kubectl(path, ['exec', 'one', '--', 'nosuch'])
      assert.equal(missing.code, 1)
      assert.match(missing.stderr, /exec: "nosuch": executable file not found in \$PATH/)
    })

    test(`kubectl ${version} exec transfers 10 MB of binary data in both directions`, async () => {
      const child = spawn(path, ['exec', '-i', 'one', '--', 'cat'], { env: node.env, stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin.end(big)
      const answer = Buffer.concat((await child.stdout.toArray()) as Buffer[])
      assert.deepEqual([answer.length, digest(answer)], [big.length, digest(big)])
    })

    test(`kubectl ${version} exec -t allocates a terminal of the right size`, { skip: noTerminal }, async () => {
      const command = 'until [ "$(stty size)" = "37 101" ]; do sleep 0.05; done; tty; exit 5'
      const line = `stty cols 101 rows 37; exec ${path} exec -it one -- sh -c '${command}'`
      const child = spawn(terminal, ['-qec', line, '/dev/null'], { env: node.env, stdio: ['pipe', 'pipe', 'inherit'] })
      const output = Buffer.concat((await child.stdout.toArray()) as Buffer[]).toString()
      assert.match(output, /\/dev\/pts\/\d+/)
      assert.match(output, /exit code 5/)
    })

    test(`kubectl ${version} cp copies folders and files in both directions`, async () => {
      const there = join(node.directory, `there-${version}`)
      const back = join(node.directory, `back-${version}`)
      await mkdir(join(node.directory, 'from', 'deep'), { recursive: true })
      await writeFile(join(node.directory, 'from', 'deep', 'big'), big)
      const copy = async (from: string, to: string): Promise<void> => {
        const { code, stderr } = await node.kubectl(path, ['cp', from, to])
        assert.equal(code, 0, stderr)
      }
      await copy(join(node.directory, 'from'), `one:${there}`)
      await copy(`one:${there}`, back)
      assert.equal(digest(await readFile(join(back, 'deep', 'big'))), digest(big))
    })

    test(`kubectl ${version} logs supports its flags, and reports errors`, async () => {
      const logs = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await node.kubectl(path, ['logs', ...args])
        return code === 0 ? stdout : stderr
      }
      assert.equal(await logs('talk', '-c', 'a'), 'a1\na2\na3\n')
      assert.equal(await logs('talk', '-c', 'a', '--tail=2', '--limit-bytes=4'), 'a2\na')
      assert.match(await logs('talk', '-c', 'a', '--timestamps', '--tail=1'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z a3\n$/)
      assert.equal(await logs('talk', '-c', 'a', '--since=1h'), 'a1\na2\na3\n')
      assert.equal(await logs('talk', '-c', 'a', '--since-time=2999-01-01T00:00:00Z'), '')
      // kubectl asks for several containers in no order.
      const lines = (await logs('talk', '--all-containers', '--prefix')).trimEnd().split('\n')
      assert.deepEqual(lines.toSorted(), ['[pod/talk/a] a1', '[pod/talk/a] a2', '[pod/talk/a] a3', '[pod/talk/b] b1'])
      assert.match(await logs('talk', '-c', 'a', '-p'), /previous terminated container "a" in pod "talk" not found/)
      assert.match(await logs('talk', '-c', 'c'), /container c is not valid for pod talk/)
      assert.match(await logs('held'), /container "main" in pod "held" is waiting to start: CreateContainerConfigError/)
      const { code, stdout } = await node.kubectl(path, ['logs', '-f', 'brief'])
      assert.deepEqual([code, stdout], [0, 'begin\nend\n'])
    })

    test(`kubectl ${version} that stalls or is killed blocks no other client, and leaves no process`, async () => {
      const flood = spawn(path, ['exec', '-i', 'one', '--', 'sh', '-c', 'echo $$; exec cat /dev/zero'], { env: node.env })
      await once(flood.stdout, 'readable')
      const pid = Number.parseInt(String(flood.stdout.read()), 10)
      assert.ok(existsSync(`/proc/${pid}`))
      // Both directions are unread.
      flood.stdin.on('error', () => {}).write(big)
      const { stdout } = await node.kubectl(path, ['exec', 'one', '--', 'echo', 'here'])
      assert.equal(stdout, 'here\n')
      flood.kill('SIGKILL')
      await until(() => !existsSync(`/proc/${pid}`))
      assert.equal((await node.kubectl(path, ['exec', 'one', '--', 'echo', 'still'])).stdout, 'still\n')
    })

    test(`kubectl ${version} attach sends stdin to the container`, async () => {
      const name = `attach-${version}`
      await node.runPod(name, { main: 'read -r line; echo "got $line"' }, { stdin: true, stdinOnce: true })
      const { code, stdout } = await node.kubectl(path, ['attach', '-i', name], { input: 'this\n' })
      assert.deepEqual([code, stdout], [0, 'got this\n'])
    })

    test(`kubectl ${version} port-forward supports several connections at once`, async () => {
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
