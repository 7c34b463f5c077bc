import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { findKubectls, noKubectl } from '../support/kubectl.ts'
import { type OneNode, startOneNode } from '../support/one-node.ts'

// Earlier ones speak SPDY.
const speakWebSocket = (version: string): boolean => Number(version.slice(2)) >= 31

suite('kubectl and containers', { skip: noKubectl }, () => {
  let node: OneNode
  before(async () => {
    node = await startOneNode()
    await node.runPod('one', { main: 'exec sleep 1000' })
  })
  after(() => node[Symbol.asyncDispose]())

  for (const { path, version } of findKubectls().filter((kubectl) => speakWebSocket(kubectl.version))) {
    test(`kubectl ${version} runs commands beside a container, and exits as they do`, async () => {
      const { code, stdout, stderr } = await node.kubectl(path, ['exec', 'one', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'])
      assert.deepEqual([code, stdout, stderr], [7, 'out\n', 'err\ncommand terminated with exit code 7\n'])
      const piped = await node.kubectl(path, ['exec', '-i', 'one', '--', 'tr', 'a-z', 'A-Z'], { input: 'hello' })
      assert.deepEqual([piped.code, piped.stdout], [0, 'HELLO'])
    })
  }
})
