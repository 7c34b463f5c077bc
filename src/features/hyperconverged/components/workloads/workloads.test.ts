import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { builtInResource } from '../objects/caches.ts'
import { rolloutOf } from '../objects/rollout.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, stateIn, type Platform } from '../../reconcile/platform.fixture.ts'
import { objectOf, type RenderingInput } from '../rendering/rendering.ts'
import { phraseOf } from '../../configuration/explain/why.ts'
import { renderComponent } from '../../configuration/overrides/render-component.ts'
import { valueAt } from '../../value-at.ts'
import { workloadKindOf, workloadKinds } from './kinds.ts'
import { injectorReady } from './network-resources-injector.ts'
import { wantedWorkloads } from './workload-components.ts'
import { workloadImageVariables, workloadObjectNames, workloadRules } from './workload-rights.ts'

const images = {
  NETWORK_RESOURCES_INJECTOR_IMAGE: 'r.test/injector:1',
  AIE_WEBHOOK_IMAGE: 'r.test/aie:1',
  WASP_AGENT_IMAGE: 'r.test/wasp:1',
  OBSERVABILITY_CONTROLLER_IMAGE: 'r.test/observability:1',
}
const off = { deployNetworkResourcesInjector: false }
const { namespace } = hyperConvergedKey

interface Given {
  readonly spec?: object
  readonly annotations?: Readonly<Record<string, string>>
  readonly openShift?: boolean
  readonly workers?: number
  readonly environment?: Readonly<Record<string, string>>
}

function inputOf({ spec = {}, annotations = {}, openShift = false, workers = 1, environment = images }: Given): RenderingInput {
  return {
    hyperconverged: { metadata: { ...hyperConvergedKey, annotations }, spec },
    nodes: {
      workloadArchitectures: ['amd64'],
      controlPlaneArchitectures: ['amd64'],
      defaultArchitecture: 'amd64',
      controlPlanes: 1,
      workers,
    },
    version: 'v1',
    namespace,
    environment,
    cluster: { isOpenShift: openShift },
  }
}

/** Kinds and names of what is deployed, but the priority class, which always is. */
function deployed(given: Given): readonly string[] {
  const wanted = wantedWorkloads(inputOf(given)).filter(({ name }) => name !== 'priority-class')
  return wanted.map(({ name, kind, absence }) => (absence === undefined ? `${kind} of ${name.split('/')[0]}` : `${name}: ${absence}`))
}

/** An object of a workload, as it is applied. */
function rendered(given: Given, kind: string): Readonly<Record<string, unknown>> {
  const input = inputOf(given)
  const component = wantedWorkloads(input).find((one) => one.kind === kind)
  assert.ok(component, kind)
  return objectOf(renderComponent(component, input).values)
}

const seven = (name: string, ...more: readonly string[]): readonly string[] =>
  ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', ...more].map((kind) => `${kind} of ${name}`)
const injector = seven('network-resources-injector', 'Service', 'PodDisruptionBudget', 'Deployment', 'MutatingWebhookConfiguration')
const gate = [{ name: 'deployObservabilityController' }]
const overcommit = { deployment: off, virtualization: { higherWorkloadDensity: { memoryOvercommitPercentage: 150 } } }

suite('workloads that HyperConverged asks for', () => {
  const rows: readonly (readonly [string, Given, readonly string[]])[] = [
    ['the injector by default', { openShift: true }, injector],
    [
      'the injector with a certificate of cert-manager',
      {},
      [...injector.slice(0, 3), 'Issuer of network-resources-injector', 'Certificate of network-resources-injector', ...injector.slice(3)],
    ],
    ['nothing when it is switched off', { spec: { deployment: off } }, []],
    [
      'the webhook for accelerated guests by an annotation',
      { spec: { deployment: off }, annotations: { 'hco.kubevirt.io/deployAIE': 'true' } },
      seven('aie-webhook', 'ConfigMap', 'Service', 'Deployment', 'MutatingWebhookConfiguration'),
    ],
    ['… which must be true', { spec: { deployment: off }, annotations: { 'hco.kubevirt.io/deployAIE': 'yes' } }, []],
    [
      'the swap agent where memory is overcommitted',
      { openShift: true, spec: overcommit },
      seven('wasp-agent', 'SecurityContextConstraints', 'DaemonSet'),
    ],
    ['… on OpenShift only', { spec: overcommit }, []],
    [
      '… and not beside the autopilot',
      { openShift: true, spec: overcommit, annotations: { 'platform.kubevirt.io/autopilot': 'a, swap-enable' } },
      [],
    ],
    ['… which may do everything', { openShift: true, spec: overcommit, annotations: { 'platform.kubevirt.io/autopilot': 'true' } }, []],
    [
      'the observability controller by its gate',
      { spec: { deployment: off, featureGates: gate } },
      seven('observability-controller', 'Deployment'),
    ],
    [
      'nothing without an image, with the reason',
      { environment: {} },
      ['network-resources-injector: the environment variable NETWORK_RESOURCES_INJECTOR_IMAGE of the operator names no image'],
    ],
  ]
  for (const [title, given, wanted] of rows) test(title, () => assert.deepEqual(deployed(given), wanted))

  test('no injector where nothing issues its certificate', () => {
    const [component] = wantedWorkloads(inputOf({}), false).filter(({ name }) => name === 'network-resources-injector')
    assert.equal(component?.absence, 'cert-manager, which issues its certificate, is not installed')
  })

  test('pods follow the nodes, the TLS profile, the lists and the placement', () => {
    const path = ['spec', 'template', 'spec', 'containers', '0', 'args']
    const argsOf = (given: Given): readonly unknown[] => {
      const [container] = valueAt(rendered(given, 'Deployment'), path.slice(0, 4)) as readonly { readonly args: readonly unknown[] }[]
      return container?.args ?? []
    }
    assert.equal(valueAt(rendered({ openShift: true, workers: 3 }, 'Deployment'), ['spec', 'replicas']), 2)
    assert.equal(valueAt(rendered({ openShift: true }, 'Deployment'), ['spec', 'replicas']), 1)
    const modern = { security: { tlsSecurityProfile: { type: 'Modern', modern: {} } } }
    assert.deepEqual(argsOf({ openShift: true, spec: modern }).slice(-1), ['-tls-min-version=VersionTLS13'])
    assert.match(
      String(argsOf({ openShift: true }).at(-1)),
      /^-tls-cipher-suites=TLS_AES_128_GCM_SHA256,.*,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,/,
    )
    const observability = { workloads: { allowedMetrics: ['a', 'b'] }, allowedAlerts: ['none'] }
    assert.deepEqual(argsOf({ spec: { ...modern, deployment: off, featureGates: gate, observability } }).slice(-3), [
      '--tls-security-profile=Modern',
      '--metrics-allowlist=a,b',
      '--alerts-allowlist=none',
    ])
    const nodePlacements = { infra: { nodeSelector: { zone: 'a' } } }
    const spec = { ...overcommit, deployment: { ...off, nodePlacements } }
    const pods = valueAt(rendered({ openShift: true, spec }, 'DaemonSet'), ['spec', 'template', 'spec'])
    assert.deepEqual(valueAt(pods, ['nodeSelector']), { zone: 'a' })
    assert.equal(valueAt(pods, ['affinity']), undefined)
  })

  test('each value has its source', () => {
    const input = inputOf({ openShift: true })
    const component = wantedWorkloads(input).find(({ kind }) => kind === 'Deployment')
    assert.ok(component)
    const phrases = new Set(renderComponent(component, input).values.map(({ source }) => phraseOf(source)))
    assert.deepEqual([...phrases], ['default of spec.deployment.deployNetworkResourcesInjector'])
  })

  test('the operator has the rights that it grants, and may change these objects alone', () => {
    const names = workloadObjectNames(namespace)
    assert.deepEqual(names.map(({ plural }) => plural).toSorted(), workloadKinds.map(({ plural }) => plural).toSorted())
    for (const { names: own } of names) assert.ok(own.every((name) => name !== ''))
    const cluster = workloadRules(namespace, [...workloadImageVariables.keys()])
    for (const openShift of [true, false]) {
      const all: Given = {
        openShift,
        annotations: { 'hco.kubevirt.io/deployAIE': 'true' },
        spec: { ...overcommit, deployment: {}, featureGates: gate },
      }
      const input = inputOf(all)
      for (const component of wantedWorkloads(input).filter(({ kind }) => kind === 'ClusterRole')) {
        const { rules } = objectOf(renderComponent(component, input).values) as { readonly rules: readonly unknown[] }
        for (const rule of rules)
          assert.ok(
            cluster.some((one) => JSON.stringify(one) === JSON.stringify(rule)),
            JSON.stringify(rule),
          )
      }
    }
  })
})

test('the rollout of a Deployment and of a DaemonSet', () => {
  const rows: readonly (readonly [string, object, string | true])[] = [
    [
      'not seen',
      { metadata: { generation: 2 }, spec: { replicas: 2 }, status: { observedGeneration: 1, readyReplicas: 2, updatedReplicas: 2 } },
      'its pods are not known yet',
    ],
    [
      'old pods',
      { metadata: { generation: 1 }, spec: { replicas: 2 }, status: { observedGeneration: 1, readyReplicas: 2, updatedReplicas: 1 } },
      '1 of 2 pods are ready',
    ],
    [
      'ready',
      { metadata: { generation: 1 }, spec: { replicas: 2 }, status: { observedGeneration: 1, readyReplicas: 2, updatedReplicas: 2 } },
      true,
    ],
    [
      'DaemonSet',
      { kind: 'DaemonSet', metadata: {}, status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberReady: 2 } },
      '2 of 3 pods are ready',
    ],
    ['no node', { kind: 'DaemonSet', metadata: {}, status: { desiredNumberScheduled: 0 } }, true],
  ]
  for (const [title, object, wanted] of rows) {
    const { isReady, message } = rolloutOf(object)
    assert.equal(isReady ? true : message, wanted, title)
  }
})

suite('the operator of HyperConverged deploys workloads', () => {
  const resourceOf = (kind: string): ResourceType<KubeObject> => builtInResource(workloadKindOf(kind))
  const name = 'virt-network-resources-injector'
  const gatesOf = async ({ client }: Platform): Promise<readonly string[]> => {
    const { items } = await client.list(kubeVirts)
    return (items[0] as KubeVirt | undefined)?.spec.configuration?.developerConfiguration?.featureGates ?? []
  }

  test('registers the webhook of the injector once its pods are ready, and removes all of it when it is switched off', async () => {
    await using platform = await startPlatform()
    const { client } = platform
    await platform.install('certificates')
    await platform.install('issuers')
    platform.start(undefined, { environment: images })
    const read = (kind: string, object: string): Promise<KubeObject> =>
      client.get(resourceOf(kind), { ...(resourceOf(kind).namespaced ? { namespace } : {}), name: object })
    await platform.until((hco) => stateIn(hco, 'network-resources-injector')?.object !== undefined)
    await platform.settled()
    await assert.rejects(read('MutatingWebhookConfiguration', `${name}-config`), /not found/)
    const condition = async (): Promise<string | undefined> =>
      findCondition((await platform.hyperconverged()).status?.conditions, injectorReady)?.status
    assert.equal(await condition(), 'False')
    assert.ok(!(await gatesOf(platform)).includes('ExternalNetResourceInjection'))

    const { metadata } = await read('Deployment', name)
    const status = { observedGeneration: metadata?.generation ?? 0, replicas: 1, updatedReplicas: 1, readyReplicas: 1 }
    await client.patch(resourceOf('Deployment'), { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' })
    await platform.until(async () => (await gatesOf(platform)).includes('ExternalNetResourceInjection'))
    assert.equal(await condition(), 'True')
    await read('MutatingWebhookConfiguration', `${name}-config`)
    await platform.settled()

    // What the API server fills in is no drift, and what others change is.
    const { length } = platform.writes
    await client.patch(
      resourceOf('Service'),
      { namespace, name: `${name}-service` },
      { type: 'merge', body: { spec: { selector: { app: 'rival' } } } },
      { fieldManager: 'rival' },
    )
    await platform.until(
      async () => valueAt(await read('Service', `${name}-service`), ['spec', 'selector', 'app']) === 'kubevirt-hyperconverged',
    )
    await platform.settled()
    assert.deepEqual(
      platform.writes.slice(length).filter((write) => !write.includes('hyperconvergeds')),
      ['patch services'],
    )

    platform.endDeletions([])
    await platform.edit({ deployment: { deployNetworkResourcesInjector: false } })
    await platform.until(
      async (hco) => hco.status?.steadyvm?.components?.every((one) => !one.name.startsWith('network-resources-injector')) === true,
    )
    for (const kind of workloadKinds.filter(({ builtIn, kind: one }) => builtIn !== undefined && one !== 'PriorityClass')) {
      const { items } = await client.list(builtInResource(kind), kind.selector === undefined ? {} : { labelSelector: kind.selector })
      assert.deepEqual(items, [], kind.kind)
    }
    assert.equal(await condition(), undefined)
    assert.ok(!(await gatesOf(platform)).includes('ExternalNetResourceInjection'))
  })

  test('keeps rules that an administrator adds, and removes everything with HyperConverged', async () => {
    await using platform = await startPlatform()
    const { client } = platform
    const annotations = { 'hco.kubevirt.io/deployAIE': 'true' }
    await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata: { annotations } } })
    platform.start(undefined, { environment: images })
    await platform.until((hco) => stateIn(hco, 'aie-webhook')?.object !== undefined)
    const key = { namespace, name: 'kubevirt-aie-launcher-config' }
    const data = { 'config.yaml': 'rules: [mine]\n' }
    await client.patch(resourceOf('ConfigMap'), key, { type: 'merge', body: { data } }, { fieldManager: 'admin' })
    await platform.edit({ virtualization: { evictionStrategy: 'None' } })
    await platform.until((hco) => hco.metadata.generation === hco.status?.observedGeneration)
    await platform.settled()
    assert.deepEqual(valueAt(await client.get(resourceOf('ConfigMap'), key), ['data']), data)
    platform.endDeletions([kubeVirts])
    await client.delete(hyperConvergeds, hyperConvergedKey)
    await platform.gone()
    for (const kind of workloadKinds.filter(({ builtIn }) => builtIn !== undefined)) {
      const { items } = await client.list(builtInResource(kind), kind.selector === undefined ? {} : { labelSelector: kind.selector })
      assert.deepEqual(items, [], kind.kind)
    }
  })

  test('warns at the request that a workload is not deployed', async () => {
    await using platform = await startPlatform()
    platform.start()
    await platform.until((hco) => stateIn(hco, 'kubevirt')?.object !== undefined)
    await platform.settled()
    const old = await platform.hyperconverged()
    const { warnings } = await platform.dryRun.hyperconverged({ ...old, spec: { ...old.spec, featureGates: gate } }, old)
    assert.deepEqual(warnings, [
      'observability-controller is not deployed: the environment variable OBSERVABILITY_CONTROLLER_IMAGE of the operator names no image',
    ])
  })
})
