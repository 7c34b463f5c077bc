import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { breakRelease } from '../support/fakes/broken-release.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

/** Runs the real controller, and exits shortly after it became ready. */
const exitsAfterStart = `setTimeout(() => { process.stderr.write('cannot go on\\n'); process.exit(3) }, 500)
await import('./real-virt-controller.mjs')
`

// Also proved by the roll-backs of src/features/operator/simulation.test.ts.
suite(
  'a release whose virt-controller exits shortly after its start',
  { skip: machineModeOnly('changes releases of machine mode') },
  () => {
    let machine: TestMachine
    before(async () => {
      machine = await startMachine()
      const { code, stderr } = await machine.steadyvm('release', 'build', '--version', 'v0.2.0')
      assert.equal(code, 0, stderr)
      await breakRelease(machine.home, 'v0.2.0', { component: 'virt-controller', program: exitsAfterStart })
      const limits = ['steadyvm.io/rollout-soak=3s', 'steadyvm.io/rollout-deadline=20s']
      await machine.kubectl(['annotate', 'kubevirt', 'kubevirt', '-n', 'kubevirt', ...limits])
    })
    after(() => machine[Symbol.asyncDispose]())

    test('is rolled back before virt-api is replaced, and upgrade status shows the reason', async () => {
      const patch = JSON.stringify({ spec: { imageTag: 'v0.2.0' } })
      await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', patch])
      const kubevirt = (): Promise<KubeJson> => machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
      const images = async (name: string): Promise<string> =>
        machine.kubectl(['get', 'deployment', name, '-n', 'kubevirt', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'])
      const stages = new Set<string>()
      await eventually(
        async () => {
          const found = await kubevirt()
          stages.add(textAt(found, 'status.steadyvm.upgrade.stage'))
          assert.match(await images('virt-api'), /:v0\.1\.0$/)
          return textAt(found, 'status.steadyvm.rejected.version') === 'v0.2.0' && textAt(found, 'status.steadyvm.upgrade.to') === ''
        },
        async () => JSON.stringify((await kubevirt())['status']),
        120_000,
      )
      assert.ok(stages.has('Controllers') && !stages.has('API') && !stages.has('Workloads'), [...stages].join())
      assert.match(textAt(await kubevirt(), 'status.steadyvm.rejected.message'), /^virt-controller-.* ended with exit code 3/)
      assert.match(await images('virt-controller'), /:v0\.1\.0$/)
      const { code, stdout } = await machine.steadyvm('upgrade', 'status')
      assert.equal(code, 2)
      assert.match(stdout, /v0\.2\.0: virt-controller-/)
    })
  },
)
