import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'

const system = ['-n', 'kubevirt']
const name = 'kubevirt-hyperconverged'
const record = ['configmap', 'hyperconverged-operator-last-applied', '--ignore-not-found', '-o', 'name']
const pendingType = 'steadyvm.io/ConsentPending'

suite('consent to gates of HyperConverged, and rollback of a refused edit', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    await install('hyperconverged-operator')
    await machine.kubectl(['wait', 'crd/hyperconvergeds.hco.kubevirt.io', '--for=condition=Established', '--timeout=30s'])
    await install('hyperconverged-object')
    await machine.kubectl(['wait', ...system, `hco/${name}`, '--for=condition=Available', '--timeout=180s'])
    await eventually(
      async () => (await machine.tryKubectl(['get', 'validatingwebhookconfiguration', 'hyperconverged-operator-validator'])).code === 0,
      () => machine.kubectl(['logs', ...system, 'deployment/hyperconverged-operator']),
    )
  })
  after(() => machine[Symbol.asyncDispose]())

  const install = async (part: string): Promise<void> => {
    const { code, stdout, stderr } = await machine.steadyvm('install', '--part', part)
    assert.equal(code, 0, stderr)
    await machine.kubectl(['apply', '--server-side', '-f', '-'], stdout)
  }
  const read = (...args: string[]): Promise<string> => machine.kubectl(['get', ...system, ...args])
  const condition = (type: string): Promise<string> =>
    read('hco', name, '-o', `jsonpath={range .status.conditions[?(@.type=="${type}")]}{.status} {.reason} {.message}{end}`)
  const kubevirt = (path: string): Promise<string> => read('kubevirt', '-o', `jsonpath={.items[0].spec.configuration.${path}}`)
  const annotate = (...texts: string[]): Promise<{ readonly code: number; readonly stderr: string }> =>
    machine.tryKubectl(['annotate', '--overwrite', ...system, 'hco', name, ...texts])
  const why = async (path: string): Promise<string> => {
    const { code, stdout, stderr } = await machine.steadyvm('why', 'hco', path)
    assert.equal(code, 0, stderr)
    return stdout + stderr
  }
  const becomes = (isSo: () => Promise<boolean>): Promise<void> => eventually(isSo, () => read('hco,kubevirt', '-o', 'yaml'))

  test('a default that affects guests stays until it is consented to', async () => {
    const list = JSON.parse(await read('hco', name, '-o', 'jsonpath={.status.steadyvm.gateDefaults}')) as readonly {
      readonly name: string
    }[]
    // As an operator has left it that had this gate on by default.
    const gateDefaults = list.map((gate) => (gate.name === 'alignCPUs' ? { ...gate, state: 'Enabled' } : gate))
    const body = JSON.stringify({ status: { steadyvm: { gateDefaults } } })
    await machine.kubectl(['patch', 'hco', name, ...system, '--subresource=status', '--type=merge', '-p', body])
    await becomes(async () => (await kubevirt('developerConfiguration.featureGates')).includes('AlignCPUs'))
    await becomes(async () => (await condition(pendingType)).includes('alignCPUs stays Enabled, and is Disabled by default'))
    assert.match(await why('alignCPUs'), /feature gate alignCPUs, kept until consent/)
    const consent = 'steadyvm.io/consent-to-gate-defaults-of'
    const wrong = await annotate(`${consent}=yes`)
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /metadata\.annotations\[steadyvm\.io\/consent-to-gate-defaults-of\].*must be the version/)
    const version = await read('hco', name, '-o', 'jsonpath={.status.versions[0].version}')
    assert.equal((await annotate(`${consent}=${version}`)).code, 0)
    await becomes(
      async () => (await condition(pendingType)) === '' && !(await kubevirt('developerConfiguration.featureGates')).includes('Align'),
    )
    assert.match(await why('alignCPUs'), /Disabled +feature gate alignCPUs, by the default of its phase/)
  })

  test('an edit that a component refuses only when it is applied is rolled back', async () => {
    const wrong = await annotate('steadyvm.io/on-failure=Panic')
    assert.match(wrong.stderr, /must be Retry or RollBack, and is "Panic"/)
    assert.equal((await annotate('steadyvm.io/on-failure=RollBack')).code, 0)
    await becomes(async () => (await read(...record)) !== '')
    const group = 'admissionregistration.k8s.io/v1'
    const policy = { name: 'short-timeouts' }
    const resourceRules = [{ apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['kubevirts'] }]
    // Dry runs pass, as while a webhook of the component does not answer.
    const expression = 'request.dryRun == true || object.spec.configuration.migrations.progressTimeout < 300'
    const items = [
      {
        apiVersion: group,
        kind: 'ValidatingAdmissionPolicy',
        metadata: policy,
        spec: { matchConstraints: { resourceRules }, validations: [{ expression, message: 'at most 299 s' }] },
      },
      {
        apiVersion: group,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: policy,
        spec: { policyName: policy.name, validationActions: ['Deny'] },
      },
    ]
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    const edit = (progressTimeout: number): Promise<string> =>
      machine.kubectl([
        'patch',
        'hco',
        name,
        ...system,
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { virtualization: { liveMigrationConfig: { progressTimeout } } } }),
      ])
    // Policies take effect a moment after they are created.
    let timeout = 300
    await eventually(
      async () => {
        await edit(timeout++)
        let isRolledBack = false
        await becomes(async () => {
          isRolledBack = (await condition('ReconcileComplete')).startsWith('False RolledBack kubevirt refuses generation')
          return isRolledBack || (await kubevirt('migrations.progressTimeout')) === String(timeout - 1)
        })
        return isRolledBack
      },
      () => read('hco,kubevirt', '-o', 'yaml'),
    )
    assert.match(await condition('ReconcileComplete'), /at most 299 s; generation \d+ is in effect until the next edit$/)
    assert.equal(await read('hco', name, '-o', 'jsonpath={.spec.virtualization.liveMigrationConfig.progressTimeout}'), String(timeout - 1))
    assert.match(
      await why('virtualization.liveMigrationConfig.progressTimeout'),
      /note: kubevirt refused generation \d+, which is shown; generation \d+ is in effect/,
    )
    await edit(299)
    await becomes(
      async () => (await kubevirt('migrations.progressTimeout')) === '299' && (await condition('ReconcileComplete')).startsWith('True'),
    )
    await machine.kubectl(['delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', policy.name])
  })

  test('the record of the last configuration goes with the object', async () => {
    assert.notEqual(await read(...record), '')
    await machine.kubectl(['delete', ...system, 'hco', name, '--timeout=120s'])
    await becomes(async () => (await read(...record)) === '')
  })
})
