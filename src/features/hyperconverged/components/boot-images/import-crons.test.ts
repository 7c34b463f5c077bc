import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { namespaces } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { roleBindings, roles } from '#api/rbac/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, stateIn, type Platform } from '../../reconcile/platform.fixture.ts'
import { valueAt } from '../../value-at.ts'
import { imageRightsName } from './image-rights.ts'
import { bootImageNamespace } from './import-crons.ts'

const fedora = 'fedora-image-cron'
const mine = {
  metadata: { name: 'mine', namespace: 'team' },
  spec: { managedDataSource: 'mine', schedule: '1 1 * * *', template: { spec: { source: { registry: { url: 'docker://r/mine' } } } } },
}

suite('DataImportCrons of boot images', () => {
  let platform: Platform
  beforeEach(async () => {
    platform = await startPlatform()
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  const list = async (crons: ResourceType<KubeObject>): Promise<readonly string[]> =>
    (await platform.client.list(crons)).items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).toSorted()
  const common = ['centos-stream10-image-cron', 'centos-stream9-image-cron', fedora].map((name) => `${bootImageNamespace}/${name}`)
  const isListed = (crons: ResourceType<KubeObject>, wanted: readonly string[]): Promise<unknown> =>
    platform.until(async () => JSON.stringify(await list(crons)) === JSON.stringify(wanted.toSorted()))
  const get = (crons: ResourceType<KubeObject>, name: string): Promise<KubeObject & { readonly spec?: object }> =>
    platform.client.get(crons, { namespace: bootImageNamespace, name })

  test('without SSP, the operator creates them with their namespace, and without CDI it says so', async () => {
    platform.start()
    const { status } = await platform.until(({ status: now }) => now?.dataImportCronTemplates?.length === 3)
    for (const template of status?.dataImportCronTemplates ?? []) assert.equal(reasonOf(template), 'NoImporter')
    const crons = await platform.install('boot-images')
    await isListed(crons, common)
    await platform.settled()
    const { status: now } = await platform.hyperconverged()
    assert.equal(reasonOf(now?.dataImportCronTemplates?.[0]), undefined)
    assert.equal(valueAt((await get(crons, fedora)).spec, ['schedule']), now?.dataImportSchedule)
    assert.equal(stateIn(await platform.hyperconverged(), `boot-image/${fedora}`)?.state, 'Ready')
    assert.ok(now?.relatedObjects?.some(({ kind, namespace }) => kind === 'DataImportCron' && namespace === bootImageNamespace))
    // An operator that starts again changes nothing.
    const before = platform.writes.length
    platform.start()
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), [])
  })

  test('an edit replaces what cannot be changed, removes what is not wanted, and leaves what others made', async () => {
    platform.start()
    const crons = await platform.install('boot-images')
    await platform.client.create(namespaces, { metadata: { name: 'team' } })
    await platform.client.create(crons, { metadata: { namespace: 'team', name: 'foreign' }, spec: {} } as KubeObject)
    await isListed(crons, [...common, 'team/foreign'])
    const { uid } = (await get(crons, fedora)).metadata ?? {}
    const changed = { metadata: { name: fedora }, spec: { ...mine.spec, managedDataSource: 'fedora' } }
    await platform.edit({ workloadSources: { dataImportCronTemplates: [changed, mine] } })
    await isListed(crons, [...common, 'team/foreign', 'team/mine'])
    await platform.until(async () => valueAt((await found(get(crons, fedora)))?.spec, ['schedule']) === '1 1 * * *')
    assert.notEqual((await get(crons, fedora)).metadata?.uid, uid)
    await platform.edit({ workloadSources: { enableCommonBootImageImport: false, dataImportCronTemplates: null } })
    await isListed(crons, ['team/foreign'])
  })

  test('all users may copy images of the common namespace, while the operator imports any into it', async () => {
    const own = { namespace: bootImageNamespace, name: imageRightsName }
    const rights = async (): Promise<readonly unknown[]> => {
      const [role, binding] = await Promise.all([found(platform.client.get(roles, own)), found(platform.client.get(roleBindings, own))])
      return [role?.rules?.some(({ resources }) => resources?.includes('datavolumes/source')), binding?.subjects?.map(({ name }) => name)]
    }
    const given = [true, ['system:authenticated', 'system:serviceaccounts']]
    const areThey = (wanted: readonly unknown[]): Promise<unknown> =>
      platform.until(async () => JSON.stringify(await rights()) === JSON.stringify(wanted))
    platform.start()
    await platform.install('boot-images')
    await areThey(given)
    await platform.client.patch(roles, own, { type: 'merge', body: { rules: [] } })
    await areThey(given)
    await platform.edit({ workloadSources: { enableCommonBootImageImport: false, dataImportCronTemplates: [mine] } })
    await areThey([undefined, undefined])
    await platform.edit({ workloadSources: { enableCommonBootImageImport: true } })
    await areThey(given)
    await platform.install('ssp')
    await areThey([undefined, undefined])
  })

  test('with SSP, they are its own', async () => {
    platform.start()
    const crons = await platform.install('boot-images')
    await isListed(crons, common)
    const ssps = await platform.install('ssp')
    await isListed(crons, [])
    const ssp = await platform.client.get(ssps, { ...hyperConvergedKey, name: 'ssp-kubevirt-hyperconverged' })
    const templates = valueAt(ssp, ['spec', 'commonTemplates', 'dataImportCronTemplates']) as readonly KubeObject[]
    assert.deepEqual(
      templates.map(({ metadata }) => metadata?.name),
      common.map((name) => name.split('/')[1]),
    )
  })

  test('an edit that CDI refuses is refused at the template', async () => {
    const text = { type: 'string' }
    const schedule = { 'x-kubernetes-validations': [{ rule: "self != 'often'", message: 'is no schedule' }], ...text }
    const crons = await platform.install('boot-images', {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { schedule },
    })
    platform.start()
    await isListed(crons, common)
    await platform.client.create(namespaces, { metadata: { name: 'team' } })
    const old = await platform.hyperconverged()
    for (const template of [mine, { ...mine, metadata: { name: fedora } }]) {
      const dataImportCronTemplates = [{ ...template, spec: { ...template.spec, schedule: 'often' } }]
      const { errors, warnings } = await platform.dryRun.hyperconverged(
        { ...old, spec: { ...old.spec, workloadSources: { dataImportCronTemplates } } } as never,
        old,
      )
      assert.deepEqual(warnings, [])
      assert.deepEqual(
        errors.map(({ field, message }) => [field, message.includes('is no schedule')]),
        [['spec.workloadSources.dataImportCronTemplates[0].spec.schedule', true]],
      )
    }
  })

  test('they go with HyperConverged, and the operator may be killed at each write', async () => {
    const crons = await platform.install('boot-images')
    const kinds = [crons, { group: 'kubevirt.io', version: 'v1', kind: 'KubeVirt', plural: 'kubevirts', namespaced: true }]
    platform.endDeletions(kinds)
    for (let write = 1; write <= 9; write += 1)
      for (const moment of ['before', 'after'] as const) {
        const died = Promise.withResolvers<void>()
        const stop = platform.start((client) => crashingClient(client, { write, moment }, died.resolve))
        await Promise.race([died.promise, platform.settled()])
        await stop()
      }
    platform.start()
    await isListed(crons, common)
    await platform.client.delete(hyperConvergeds, hyperConvergedKey)
    await platform.gone()
    assert.deepEqual(await list(crons), [])
  })
})

function reasonOf(template: unknown): unknown {
  const conditions = valueAt(template, ['status', 'conditions'])
  return Array.isArray(conditions) ? valueAt(conditions[0], ['reason']) : undefined
}
