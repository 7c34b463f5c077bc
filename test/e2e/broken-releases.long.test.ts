import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { breakRelease, type Fault } from '../support/fakes/broken-release.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { demoVirtualMachine } from '../support/manifests.ts'

/** Runs the real agent without access to the monitors of QEMU. */
const withoutMonitors = `import { Socket } from 'node:net'
const real = Socket.prototype.connect
Socket.prototype.connect = function (...words) {
  const options = Array.isArray(words[0]) ? words[0][0] : words[0]
  const path = typeof options === 'string' ? options : options?.path
  return typeof path === 'string' && path.endsWith('.qmp') ? real.call(this, path + '.lost') : real.apply(this, words)
}
await import('./real-virt-handler.mjs')
`
/** Faults of a release, and the expected message. */
const faults: readonly (readonly [string, string, Fault, RegExp])[] = [
  ['ends at its start', 'v0.2.0', { program: "process.stderr.write('nothing works here\\n'); process.exit(1)\n" }, /exit code 1/],
  ['is never ready', 'v0.3.0', { program: 'setInterval(() => {}, 1000)\n' }, /not ready after/],
  ['does not understand how it is called', 'v0.4.0', { args: ['--no-such-flag=1'] }, /exit code/],
  ['does not reach its guests', 'v0.5.0', { program: withoutMonitors }, /reaches 0 of the 1 guests/],
]

suite('a release whose node agent', { skip: machineModeOnly('changes releases of machine mode') }, () => {
  let machine: TestMachine
  let guests: readonly number[] = []
  before(async () => {
    machine = await startMachine({ nodes: 2, soakSeconds: 2 })
    for (const name of ['one', 'two']) await machine.kubectl(['apply', '-f', '-'], demoVirtualMachine(name, { memory: '80Mi' }))
    await machine.kubectl(['wait', 'vm/one', 'vm/two', '--for=condition=Ready', '--timeout=90s'])
    guests = pids()
    for (const [, version, fault] of faults) {
      const { code, stderr } = await machine.steadyvm('release', 'build', '--version', version)
      assert.equal(code, 0, stderr)
      await breakRelease(machine.home, version, fault)
    }
  })
  after(() => machine[Symbol.asyncDispose]())

  const pids = (): readonly number[] =>
    machine
      .guests()
      .map(({ process: { pid } }) => pid)
      .toSorted((a, b) => a - b)
  const kubevirt = (): Promise<KubeJson> => machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
  /** Returns the versions of the existing agents. */
  const agents = async (): Promise<readonly string[]> => {
    const path = 'jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/version} {end}'
    return (await machine.kubectl(['get', 'pods', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-handler', '-o', path])).trim().split(' ')
  }

  for (const [what, version, , reason] of faults) {
    test(`${what} runs on at most one node, and is rolled back with a reason in the status`, async (t) => {
      const askedMs = performance.now()
      await machine.kubectl([
        'patch',
        'kubevirt',
        'kubevirt',
        '-n',
        'kubevirt',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { imageTag: version } }),
      ])
      let most = 0
      await eventually(
        async () => {
          most = Math.max(most, (await agents()).filter((found) => found === version).length)
          return textAt(await kubevirt(), 'status.steadyvm.rejected.version') === version
        },
        async () => JSON.stringify((await kubevirt())['status']),
        120_000,
      )
      await eventually(
        async () => (await agents()).join() === 'v0.1.0,v0.1.0' && textAt(await kubevirt(), 'status.steadyvm.upgrade.to') === '',
        async () => `${(await agents()).join()} ${JSON.stringify((await kubevirt())['status'])}`,
      )
      t.diagnostic(`${version} was gone again after ${Math.round((performance.now() - askedMs) / 1000)} s`)
      assert.equal(most, 1)
      const message = textAt(await kubevirt(), 'status.steadyvm.rejected.message')
      assert.match(message, reason)
      assert.deepEqual(pids(), guests, 'guests were touched')
      const phases = await machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].status.phase}'])
      assert.equal(phases, 'Running Running')
    })
  }
})
