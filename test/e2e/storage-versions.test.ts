import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'

/** Number of objects: more than one page of a list. */
const count = 620
const definition = 'testlets.kubevirt.io'

suite('storage migration of objects in an old version', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const define = (storage: string, names: readonly string[] = ['v1', 'v2']): Promise<{ code: number; stderr: string }> => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const versions = names.map((name) => ({ name, served: true, storage: name === storage, schema }))
    const spec = { group: 'kubevirt.io', scope: 'Namespaced', names: { kind: 'Testlet', plural: 'testlets' }, versions }
    const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: definition }, spec }
    return machine.tryKubectl(['apply', '-f', '-'], JSON.stringify(object))
  }
  const storedVersions = (): Promise<string> => machine.kubectl(['get', 'crd', definition, '-o', 'jsonpath={.status.storedVersions}'])

  test('does nothing in a new cluster', async () => {
    const { code, stdout } = await machine.steadyvm('revisions', 'migrate-storage')
    assert.deepEqual([code, stdout], [0, 'All objects are stored in the versions of today.\n'])
  })

  test('lists objects in a dry run, and writes nothing', async () => {
    assert.equal((await define('v1')).code, 0)
    await machine.kubectl(['wait', `crd/${definition}`, '--for=condition=Established'])
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'Testlet',
      metadata: { name: `t${index}` },
    }))
    await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    assert.equal((await define('v2')).code, 0)
    const { code, stdout } = await machine.steadyvm('revisions', 'migrate-storage', '--dry-run', '-o', 'json')
    const { definitions } = JSON.parse(stdout) as { definitions: readonly object[] }
    assert.equal(code, 2)
    assert.deepEqual(definitions, [{ definition, from: ['v1'], to: 'v2', refusals: [], objects: count, outcome: 'pending' }])
    assert.equal(await storedVersions(), '["v1","v2"]')
  })

  test('rewrites them, after which the old version can be removed', async () => {
    const early = await define('v2', ['v2'])
    assert.equal(early.code, 1)
    assert.match(early.stderr, /storedVersions/)
    const { code, stdout, stderr } = await machine.steadyvm('revisions', 'migrate-storage', definition)
    assert.equal(code, 0, stderr)
    assert.match(stdout, new RegExp(`${definition} +v1 → v2 +${count} +migrated`))
    assert.equal(await storedVersions(), '["v2"]')
    assert.equal((await define('v2', ['v2'])).code, 0)
    const names = await machine.kubectl(['get', 'testlets', '-o', 'name'])
    assert.equal(names.trim().split('\n').length, count)
  })

  test('fails for an unknown resource', async () => {
    const { code, stderr } = await machine.steadyvm('revisions', 'migrate-storage', 'nothings.kubevirt.io')
    assert.equal(code, 1)
    assert.match(stderr, /nothings\.kubevirt\.io.*not found/)
  })
})
