import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, stateIn, type Platform } from '../../reconcile/platform.fixture.ts'

const { namespace } = hyperConvergedKey
const annotation = 'kubevirt.kubevirt.io/jsonpatch'
const migrations = '/spec/configuration/migrations'

suite('overrides that the operator applies', () => {
  let platform: Platform
  beforeEach(async () => {
    platform = await startPlatform()
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt') !== undefined)
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  const timeout = async (): Promise<number | undefined> => {
    const kubevirt: KubeVirt = await platform.client.get(kubeVirts, { namespace, name: 'kubevirt-kubevirt-hyperconverged' })
    return kubevirt.spec.configuration?.migrations?.progressTimeout
  }
  const overrideOf = (name: string, value: number, more: object = {}): ComponentOverride =>
    ({
      metadata: { name },
      spec: {
        component: 'kubevirt',
        patch: [{ op: 'replace', path: `${migrations}/progressTimeout`, value }],
        owner: 'storage',
        reason: 'slow disks',
        ...more,
      },
    }) as unknown as ComponentOverride
  const annotate = (text: string | null): Promise<unknown> =>
    platform.client.patch(hyperConvergeds, hyperConvergedKey, {
      type: 'merge',
      body: { metadata: { annotations: { [annotation]: text } } },
    })
  const taint = async (): Promise<string> => {
    const found = findCondition((await platform.hyperconverged()).status?.conditions, 'TaintedConfiguration')
    return found === undefined ? '' : `${found.status} ${found.reason} ${found.message}`
  }
  const applied = async (name: string): Promise<string> => {
    const { status } = await platform.client.get(componentOverrides, { name })
    const { status: is, reason } = findCondition(status?.conditions, 'Applied') ?? {}
    return `${is} ${reason}`
  }

  test('an override is applied, named and taken back', async () => {
    await platform.client.create(componentOverrides, overrideOf('slow', 500))
    await platform.until(async () => (await timeout()) === 500 && (await applied('slow')) === 'True Applied')
    assert.match(await taint(), /^True ComponentOverrides ComponentOverride slow of kubevirt$/)
    await platform.settled()
    const before = platform.writes.length
    await platform.settled()
    assert.equal(platform.writes.length, before)
    await platform.client.delete(componentOverrides, { name: 'slow' })
    await platform.until(async () => (await timeout()) === 150 && (await taint()) === '')
  })

  test('an override that cannot be applied is reported, and the component follows HyperConverged', async () => {
    await annotate('nonsense')
    await platform.client.create(componentOverrides, overrideOf('wrong', 1, { patch: [{ op: 'remove', path: '/spec/none' }] }))
    await platform.client.create(componentOverrides, overrideOf('absent', 1, { component: 'cdi' }))
    await platform.edit({ virtualization: { liveMigrationConfig: { progressTimeout: 33 } } })
    await platform.until(async () => (await timeout()) === 33 && /nonsense|not JSON/.test(await taint()))
    await platform.until(
      async () => (await applied('wrong')) === 'False DoesNotApply' && (await applied('absent')) === 'False ComponentAbsent',
    )
    assert.match(await taint(), /^True UnsupportedFeatureAnnotation annotation .* is not applied: the patch is not JSON/)
    const complete = findCondition((await platform.hyperconverged()).status?.conditions, 'ReconcileComplete')
    assert.equal(complete?.status, 'True')
    await annotate(JSON.stringify([{ op: 'replace', path: `${migrations}/progressTimeout`, value: 44 }]))
    await platform.until(async () => (await timeout()) === 44)
    await annotate(null)
    await platform.until(async () => (await timeout()) === 33)
  })

  test('an override ends at its time', async () => {
    const expiresAt = new Date(Date.now() + 2_500).toISOString().replace(/\.\d+Z/, 'Z')
    await platform.client.create(componentOverrides, overrideOf('brief', 500, { expiresAt }))
    await platform.until(async () => (await timeout()) === 500)
    await platform.until(async () => (await timeout()) === 150 && (await applied('brief')) === 'False Expired' && (await taint()) === '')
  })

  test('the dry run refuses what does not apply, and what the component refuses', async () => {
    const cdis = await platform.install('cdi', {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { priorityClass: { type: 'string', maxLength: 3 } },
    })
    await platform.until((hco) => stateIn(hco, 'cdi')?.object !== undefined)
    const cdi = (value: string): ComponentOverride =>
      overrideOf('important', 0, { component: 'cdi', patch: [{ op: 'add', path: '/spec/priorityClass', value }] })
    const [error] = (await platform.dryRun.override(cdi('too long'), undefined)).errors
    assert.deepEqual([error?.field, /cdi refuses its CDI: spec\.priorityClass/.test(error?.message ?? '')], ['spec.patch', true])
    assert.deepEqual(await platform.dryRun.override(cdi('ok'), undefined), { errors: [], warnings: [] })
    const wrong = overrideOf('wrong', 1, { patch: [{ op: 'test', path: '/spec/none', value: 1 }] })
    assert.match((await platform.dryRun.override(wrong, undefined)).errors[0]?.message ?? '', /operation 0 \(test \/spec\/none\)/)
    await platform.client.create(componentOverrides, cdi('ok'))
    await platform.until(async () => (await applied('important')) === 'True Applied')
    const object = await platform.client.get(cdis, { namespace, name: 'cdi-kubevirt-hyperconverged' })
    assert.match(JSON.stringify(object), /"priorityClass":"ok"/)
  })
})
