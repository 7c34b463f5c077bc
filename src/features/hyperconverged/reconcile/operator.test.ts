import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { nodes } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { internalError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { hyperConvergedKey } from '../names.ts'
import { createRegistrationState } from '../webhooks/registration-state.ts'
import { startPlatform, stateIn, type Platform } from './platform.fixture.ts'

const { namespace } = hyperConvergedKey
const ready = { Available: 'True', Progressing: 'False', Degraded: 'False' } as const
const usual = 'kubevirt-kubevirt-hyperconverged'

suite('the operator of HyperConverged', () => {
  let platform: Platform
  beforeEach(async () => {
    platform = await startPlatform()
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  const kubevirt = (name = usual): Promise<KubeVirt> => platform.client.get(kubeVirts, { namespace, name })
  const condition = async (type: string): Promise<string> => {
    const { status, reason, message } = findCondition((await platform.hyperconverged()).status?.conditions, type) ?? {}
    return `${status} ${reason} ${message}`
  }
  const isReady = (): Promise<unknown> => platform.until((hco) => stateIn(hco, 'kubevirt')?.state === 'Ready')

  test('creates KubeVirt, names absent components, and writes nothing once it is settled', async () => {
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt')?.state === 'Progressing')
    assert.match(await condition('Available'), /^False ComponentsNotAvailable kubevirt/)
    await platform.report(kubeVirts, usual, ready)
    await isReady()
    await platform.settled()
    const { spec, metadata } = await kubevirt()
    assert.equal(spec.configuration?.migrations?.completionTimeoutPerGiB, 20)
    assert.equal(metadata.labels?.['app.kubernetes.io/part-of'], 'hyperconverged-cluster')
    const { status } = await platform.hyperconverged()
    assert.deepEqual(
      status?.steadyvm?.components?.map(({ name, state }) => `${name} ${state}`),
      [
        'kubevirt Ready',
        'cdi Absent',
        'network-addons Absent',
        'aaq NotWanted',
        'migration Absent',
        'file-restore Absent',
        'ssp Absent',
        'priority-class Ready',
        'network-resources-injector Absent',
      ],
    )
    assert.deepEqual(
      status?.relatedObjects?.flatMap(({ kind, name, uid }) => (kind === 'PriorityClass' ? [] : [[kind, name, uid]])),
      [['KubeVirt', usual, metadata.uid]],
    )
    assert.deepEqual([status?.systemHealthStatus, status?.versions], ['healthy', [{ name: 'operator', version: 'v1.2.3' }]])
    const before = platform.writes.length
    // Heartbeats and notes of others change nothing that matters.
    await platform.client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { metadata: { annotations: { beat: '1' } } } })
    await platform.client.patch(
      kubeVirts,
      { namespace, name: usual },
      { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } },
    )
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata: { labels: { mine: 'yes' } } } })
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), [])
    // A restart finds everything as it should be.
    platform.start()
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), [])
  })

  test('one edit is one write of the component and one of the status', async () => {
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt') !== undefined)
    await platform.report(kubeVirts, usual, ready)
    await isReady()
    await platform.settled()
    const before = platform.writes.length
    await platform.edit({
      virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 9 } },
      featureGates: [{ name: 'objectGraph' }],
    })
    await platform.until(async () => (await kubevirt()).spec.configuration?.migrations?.parallelMigrationsPerCluster === 9)
    await platform.settled()
    const writes = platform.writes.slice(before)
    assert.equal(writes.filter((write) => write === 'patch kubevirts').length, 1)
    // The component has not acted on the change at first.
    assert.ok(writes.filter((write) => write === 'patch hyperconvergeds/status').length <= 2, writes.join())
    const gates = (await kubevirt()).spec.configuration?.developerConfiguration?.featureGates ?? []
    assert.ok(gates.includes('ObjectGraph'))
    await platform.edit({ featureGates: null })
    await platform.until(async () => !JSON.stringify((await kubevirt()).spec).includes('ObjectGraph'))
  })

  test('follows the TLS profile of the cluster, until HyperConverged has one', async () => {
    platform.start(undefined, { environment: { MACHINETYPE: 'q35', UNUSED: 'x' } })
    const settings = await platform.install('cluster-settings')
    const minVersion = async (): Promise<unknown> => (await kubevirt()).spec.configuration?.tlsConfiguration?.minTLSVersion
    await platform.until((hco) => hco.status?.steadyvm?.inputs?.openShift === true)
    await platform.client.create(settings, {
      metadata: { namespace, name: 'cluster' },
      spec: { tlsSecurityProfile: { type: 'Modern', modern: {} } },
    } as never)
    await platform.until(async () => (await minVersion()) === 'VersionTLS13')
    const { inputs } =
      (await platform.until((hco) => hco.status?.steadyvm?.inputs?.tlsSecurityProfile !== undefined)).status?.steadyvm ?? {}
    assert.deepEqual(inputs, {
      environment: [{ name: 'MACHINETYPE', value: 'q35' }],
      openShift: true,
      tlsSecurityProfile: { type: 'Modern' },
    })
    await platform.edit({ security: { tlsSecurityProfile: { type: 'Intermediate', intermediate: {} } } })
    await platform.until(async () => (await minVersion()) === 'VersionTLS12')
    await platform.edit({ security: null })
    await platform.until(async () => (await minVersion()) === 'VersionTLS13')
    await platform.client.delete(settings, { namespace, name: 'cluster' })
    await platform.until(
      async (hco) => (await minVersion()) === 'VersionTLS12' && hco.status?.steadyvm?.inputs?.tlsSecurityProfile === undefined,
    )
  })

  test('takes over an existing KubeVirt object, and leaves what it does not render', async () => {
    await platform.client.create(kubeVirts, {
      metadata: { namespace, name: 'kubevirt' },
      spec: { imageTag: 'v9', configuration: { migrations: { maxDowntimeMs: 42, progressTimeout: 1 } } },
    } as never)
    platform.start()
    await platform.until(async () => (await kubevirt('kubevirt')).spec.configuration?.migrations?.progressTimeout === 150)
    const { spec } = await kubevirt('kubevirt')
    assert.deepEqual([spec.imageTag, spec.configuration?.migrations?.maxDowntimeMs], ['v9', 42])
    assert.equal((await platform.client.list(kubeVirts)).items.length, 1)
  })

  test('reverts changes of others, counts them and says whose they were', async () => {
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt') !== undefined)
    await platform.settled()
    for (const timeout of [7, 8]) {
      const body = { spec: { configuration: { migrations: { progressTimeout: timeout } } } }
      await platform.client.patch(kubeVirts, { namespace, name: usual }, { type: 'merge', body }, { fieldManager: 'rival' })
      await platform.until(async () => (await kubevirt()).spec.configuration?.migrations?.progressTimeout === 150)
      await platform.settled()
    }
    assert.equal(stateIn(await platform.hyperconverged(), 'kubevirt')?.overwritten, 2)
    const told = platform.events.filter((event) => event.startsWith('Overwritten'))
    assert.equal(told.length, 2)
    assert.match(told[0] ?? '', /rival.*spec\.configuration\.migrations\.progressTimeout/)
    await platform.client.delete(kubeVirts, { namespace, name: usual })
    await platform.until(async () => (await platform.client.list(kubeVirts)).items.length === 1)
  })

  test('configures a component whose kind appears later, and forgets one whose kind is gone', async () => {
    platform.start()
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Absent')
    const cdis = await platform.install('cdi')
    await platform.until((hco) => stateIn(hco, 'cdi')?.object !== undefined)
    const cdi = await platform.client.get(cdis, { namespace, name: 'cdi-kubevirt-hyperconverged' })
    assert.equal(cdi.metadata?.annotations?.['cdi.kubevirt.io/configAuthority'], '')
    await platform.report(cdis, 'cdi-kubevirt-hyperconverged', { ...ready, Degraded: 'True' })
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Degraded')
    assert.match(await condition('Degraded'), /^True ComponentsDegraded cdi: Degraded is True$/)
    assert.match(await condition('Upgradeable'), /^False/)
    // While it is updated, a component reports all three.
    await platform.report(cdis, 'cdi-kubevirt-hyperconverged', { Available: 'True', Progressing: 'True', Degraded: 'True' })
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Progressing')
    assert.match(await condition('Degraded'), /^False/)
    await platform.client.delete(customResourceDefinitions, { name: 'cdis.cdi.kubevirt.io' })
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Absent')
  })

  test('goes on with the other components when some fail, and tries those again', async () => {
    const cdis = await platform.install('cdi')
    await platform.install('network-addons')
    let isBroken = true
    const failing = (inner: Client): Client => ({
      ...inner,
      patch: (resource, key, patch, options) =>
        isBroken && resource.plural !== 'kubevirts' && resource.plural !== 'hyperconvergeds'
          ? Promise.reject(internalError(`no ${resource.plural} today`))
          : inner.patch(resource, key, patch, options),
    })
    platform.start(failing)
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Failed' && stateIn(hco, 'network-addons')?.state === 'Failed')
    assert.ok((await kubevirt()).spec.configuration !== undefined)
    assert.match(
      await condition('ReconcileComplete'),
      /^False ComponentsFailed cdi: .*no cdis today.*network-addons: .*no networkaddonsconfigs today/,
    )
    isBroken = false
    await platform.until((hco) => stateIn(hco, 'cdi')?.state === 'Progressing')
    await platform.client.get(cdis, { namespace, name: 'cdi-kubevirt-hyperconverged' })
    await platform.until(async () => (await condition('ReconcileComplete')).startsWith('True'))
  })

  test('a field that cannot be rendered fails its component alone, and the rest of it is applied', async () => {
    await platform.edit({ virtualization: { tuningPolicy: 'annotation', liveMigrationConfig: { progressTimeout: 3 } } })
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt')?.state === 'Failed')
    assert.match(await condition('ReconcileComplete'), /spec\.virtualization\.tuningPolicy/)
    assert.equal((await kubevirt()).spec.configuration?.migrations?.progressTimeout, 3)
  })

  test('an optional component exists while it is wanted', async () => {
    const quotas = await platform.install('aaq')
    const key = { namespace, name: 'aaq-kubevirt-hyperconverged' }
    const count = async (): Promise<number> => (await platform.client.list(quotas)).items.length
    platform.start()
    await platform.until((hco) => stateIn(hco, 'aaq')?.state === 'NotWanted')
    await platform.edit({ deployment: { applicationAwareConfig: { enable: true } } })
    await platform.until(async () => (await count()) === 1)
    await platform.edit({ deployment: { applicationAwareConfig: { enable: false } } })
    await platform.until(async () => (await count()) === 0)
    // What a user has created himself stays.
    await platform.client.create(quotas, { metadata: key })
    await platform.settled()
    assert.equal(await count(), 1)
  })

  test('a new platform is available once its webhooks are registered, and stays so while the operator is replaced', async () => {
    const registration = createRegistrationState()
    const stop = platform.start(undefined, { registration })
    await platform.until((hco) => stateIn(hco, 'kubevirt')?.object !== undefined)
    await platform.report(kubeVirts, usual, ready)
    await isReady()
    assert.match(await condition('Available'), /^False WebhooksNotRegistered /)
    registration.report()
    await platform.until(async () => (await condition('Available')).startsWith('True'))
    await stop()
    platform.start(undefined, { registration: createRegistrationState() })
    await platform.edit({ virtualization: { evictionStrategy: 'None' } })
    await platform.until((hco) => hco.metadata.generation === hco.status?.observedGeneration)
    await platform.settled()
    assert.match(await condition('Available'), /^True /)
  })

  test('counts and tells what happens: drift, overrides, failure and deletion', async () => {
    const cdis = await platform.install('cdi')
    let isBroken = false
    platform.start((inner) => ({
      ...inner,
      patch: (resource, key, patch, options) =>
        isBroken && resource.plural === 'cdis'
          ? Promise.reject(internalError('no cdis today'))
          : inner.patch(resource, key, patch, options),
    }))
    const value = async (name: string): Promise<number | undefined> => (await platform.scrape()).get(name)
    const told = (reason: string): readonly string[] => platform.events.filter((event) => event.startsWith(`${reason}:`))
    const becomes = async (name: string, wanted: number | undefined): Promise<unknown> =>
      platform.until(async () => (await value(name)) === wanted)
    const health = 'kubevirt_hco_system_health_status'
    const kubevirts = `kubevirt_hco_out_of_band_modifications_total{component_name="kubevirt/${usual}"}`
    await platform.until((hco) => stateIn(hco, 'cdi')?.object !== undefined)
    assert.deepEqual([await value('kubevirt_hco_hyperconverged_cr_exists'), await value(health)], [1, 2])
    await platform.report(kubeVirts, usual, ready)
    // Without a version it would be installed still.
    const status = { observedKubeVirtVersion: 'v1' }
    await platform.client.patch(kubeVirts, { namespace, name: usual }, { type: 'merge', body: { status } }, { subresource: 'status' })
    await platform.report(cdis, 'cdi-kubevirt-hyperconverged', ready)
    await becomes(health, 0)
    await platform.settled()
    assert.deepEqual([told('InitHCO').length, told('Created').length, told('ReconcileHCO').length], [1, 3, 1])
    assert.equal(await value(kubevirts), undefined)

    const body = { spec: { configuration: { migrations: { progressTimeout: 7 } } } }
    await platform.client.patch(kubeVirts, { namespace, name: usual }, { type: 'merge', body }, { fieldManager: 'rival' })
    await becomes(kubevirts, 1)
    await platform.edit({ virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 9 } } })
    await platform.settled()
    // A change by the operator is none by others.
    assert.equal(await value(kubevirts), 1)

    const annotations = { 'kubevirt.kubevirt.io/jsonpatch': JSON.stringify([{ op: 'remove', path: '/spec/a' }]) }
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata: { annotations } } })
    await becomes('kubevirt_hco_unsafe_modifications{annotation_name="kubevirt.kubevirt.io/jsonpatch"}', 1)

    isBroken = true
    await platform.edit({ deployment: { nodePlacements: { infra: { nodeSelector: { a: 'b' } } } } })
    await becomes(health, 2)
    await platform.settled()
    assert.equal(told('ReconcileError').length, 1)
    assert.match(told('ReconcileHCO')[1] ?? '', /Not all components are available: cdi: .*no cdis today/)

    platform.endDeletions([kubeVirts, cdis])
    await platform.client.delete(hyperConvergeds, hyperConvergedKey)
    const exists = async (): Promise<number | undefined> => value('kubevirt_hco_hyperconverged_cr_exists')
    for (let tries = 0; tries < 6000 && (await exists()) !== 0; tries++) await sleep(10)
    assert.deepEqual([await exists(), await value(health)], [0, undefined])
  })

  test('maintains rules and ServiceMonitor where Prometheus is installed, also without a HyperConverged object', async () => {
    await platform.client.delete(hyperConvergeds, hyperConvergedKey)
    platform.start()
    const rules = await platform.install('prometheus-rule')
    const monitors = await platform.install('service-monitor')
    const key = { namespace, name: 'kubevirt-hyperconverged-prometheus-rule' }
    const alerts = async (): Promise<string> => JSON.stringify((await platform.client.list(rules)).items)
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      for (let tries = 0; tries < 6000 && !(await isSo()); tries++) await sleep(10)
      assert.ok(await isSo(), await alerts())
    }
    await until(async () => (await alerts()).includes('HCOInstallationIncomplete'))
    await until(async () => (await platform.client.list(monitors)).items.length === 1)
    await platform.settled()
    const before = platform.writes.length
    await platform.client.patch(rules, key, { type: 'merge', body: { spec: { groups: [] } } }, { fieldManager: 'rival' })
    await until(async () => (await alerts()).includes('HCOInstallationIncomplete'))
    await platform.client.delete(rules, key)
    await until(async () => (await alerts()).includes('HCOInstallationIncomplete'))
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), ['patch prometheusrules', 'patch prometheusrules'])
    const counted = await platform.scrape()
    assert.equal(counted.get(`kubevirt_hco_out_of_band_modifications_total{component_name="prometheusrule/${key.name}"}`), 1)
  })

  test('an operator that is killed at any write is completed by the next one', async () => {
    await platform.install('cdi')
    for (const moment of ['before', 'after'] as const)
      for (let write = 1; write <= 3; write++) {
        let die = (): void => {}
        const dead = new Promise<void>((resolve) => (die = resolve))
        const stop = platform.start((client) => crashingClient(client, { write, moment }, die))
        // Later runs may have less to write.
        await Promise.race([dead, platform.settled()])
        await stop()
      }
    platform.start()
    await platform.until((hco) => ['kubevirt', 'cdi'].every((name) => stateIn(hco, name)?.state === 'Progressing'))
    assert.equal((await platform.client.list(kubeVirts)).items.length, 1)
  })
})
