import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { kubectlsUnderTest, runCommand, type CommandResult } from '../support/kubectl.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

const image = 'test.example/shell:v1'

function pod(name: string, node: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image, command: ['/bin/sleep', '1000'] }],
      ...spec,
    },
  }
}

function budget(minAvailable: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
  }
}

suite('kubectl drain', { skip: machineModeOnly('tests what Kubernetes itself does on a cluster') }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await mkdir(join(machine.home, 'images', 'test.example', 'shell', 'v1'), { recursive: true })
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = async (...objects: object[]): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(list))
  }
  const names = async (): Promise<string> => machine.kubectl(['get', 'pods', '-o', 'name'])

  for (const kubectl of kubectlsUnderTest()) {
    const run = (...args: string[]): Promise<CommandResult> => runCommand(kubectl.path, args, { env: machine.env })
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args)
      assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stdout}${stderr}`)
      return stdout + stderr
    }

    test(`${kubectl.version} waits for the budget, then evicts the pods of the node, and none of the other node`, async () => {
      await apply(pod('a', 'node-1'), pod('b', 'node-2', { volumes: [{ name: 'scratch', emptyDir: {} }] }), budget(2))
      await ok('wait', 'pod/a', 'pod/b', '--for=condition=Ready', '--timeout=30s')
      await ok('wait', 'pdb/web', '--for=jsonpath={.status.currentHealthy}=2', '--timeout=10s')
      assert.match(await ok('get', 'pdb'), /web +2 +N\/A +0 /)
      assert.match(await ok('describe', 'pdb', 'web'), /Allowed disruptions: +0\n +Current: +2\n +Desired: +2\n +Total: +2/)

      const careful = await run('drain', 'node-2', '--force')
      assert.match(careful.stderr, /cannot delete Pods with local storage \(use --delete-emptydir-data to override\): default\/b/)
      const drain = ['drain', 'node-2', '--force', '--ignore-daemonsets', '--delete-emptydir-data']
      const blocked = await run(...drain, '--timeout=2s')
      assert.notEqual(blocked.code, 0)
      const why =
        'error when evicting pods/"b" -n "default" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.'
      assert.ok(blocked.stderr.includes(why), blocked.stderr)
      assert.match(await ok('get', 'node', 'node-2'), /Ready,SchedulingDisabled/)

      const draining = run(...drain, '--timeout=30s')
      await apply(budget(1))
      const { code, stdout, stderr } = await draining
      assert.equal(code, 0, stderr)
      assert.match(stdout, /node\/node-2 drained/)
      assert.equal(await names(), 'pod/a\n')
      await ok('uncordon', 'node-2')
      await ok('delete', 'pod,pdb', '--all')
    })

    test(`${kubectl.version} supports --dry-run and --disable-eviction`, async () => {
      await apply(pod('c', 'node-2'), budget(0))
      await ok('wait', 'pod/c', '--for=condition=Ready', '--timeout=30s')
      await ok('wait', 'pdb/web', '--for=jsonpath={.status.disruptionsAllowed}=1', '--timeout=10s')
      const rehearsed = await ok('drain', 'node-2', '--force', '--ignore-daemonsets', '--dry-run=server')
      assert.match(rehearsed, /node\/node-2 drained \(server dry run\)/)
      assert.equal(await names(), 'pod/c\n')
      await ok('drain', 'node-2', '--force', '--ignore-daemonsets', '--disable-eviction', '--timeout=30s')
      assert.equal(await names(), '')
      await ok('uncordon', 'node-2')
      await ok('delete', 'pdb', '--all')
    })
  }

  test('a NoExecute taint evicts pods without toleration', async () => {
    await apply(pod('short', 'node-2'), pod('long', 'node-2', { tolerations: [{ key: 'mad', operator: 'Exists' }] }))
    await machine.kubectl(['wait', 'pod/short', 'pod/long', '--for=condition=Ready', '--timeout=30s'])
    await machine.kubectl(['taint', 'node', 'node-2', 'mad=very:NoExecute'])
    await eventually(async () => (await names()) === 'pod/long\n', names)
    await machine.kubectl(['taint', 'node', 'node-2', 'mad:NoExecute-'])
    await machine.kubectl(['delete', 'pod', 'long'])
  })
})
