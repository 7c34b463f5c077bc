import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { renderComponent } from '#features/hyperconverged/configuration/overrides/render-component.ts'
import { objectOf, type RenderingInput } from '#features/hyperconverged/components/rendering/rendering.ts'
import { wantedWorkloads } from '#features/hyperconverged/components/workloads/workload-components.ts'
import { startOracle } from './oracle.ts'

const namespace = 'kubevirt'
const images = {
  NETWORK_RESOURCES_INJECTOR_IMAGE: 'r.test/injector:1',
  AIE_WEBHOOK_IMAGE: 'r.test/aie:1',
  WASP_AGENT_IMAGE: 'r.test/wasp:1',
  OBSERVABILITY_CONTROLLER_IMAGE: 'r.test/observability:1',
}
const annotations = { 'hco.kubevirt.io/deployAIE': 'true' }
const everything = {
  virtualization: { higherWorkloadDensity: { memoryOvercommitPercentage: 150 } },
  featureGates: [{ name: 'deployObservabilityController', state: 'Enabled' }],
}
const placement = { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'a', operator: 'Exists' }] }
const custom = { ciphers: ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'], minTLSVersion: 'VersionTLS12' }
const specs: readonly object[] = [
  everything,
  { ...everything, security: { tlsSecurityProfile: { type: 'Modern', modern: {} } } },
  { ...everything, security: { tlsSecurityProfile: { type: 'Old', old: {} } } },
  { ...everything, security: { tlsSecurityProfile: { type: 'Custom', custom } } },
  { ...everything, security: { tlsSecurityProfile: { type: 'Custom', custom: { ciphers: [], minTLSVersion: 'VersionTLS13' } } } },
  { ...everything, deployment: { nodePlacements: { infra: placement } } },
  {
    ...everything,
    observability: { workloads: { allowedMetrics: ['a', 'b'] }, allowedAlerts: ['none'], allowedRecordingRules: ['c'] },
  },
]

/** What Go writes for fields that are not set, and values that the API server fills in. */
function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised)
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const own = normalised(field)
    const isUnset = own === null || own === '' || own === false || (isJsonObject(own) && Object.keys(own).length === 0)
    return isUnset ||
      name === 'status' ||
      (name === 'terminationMessagePath' && own === '/dev/termination-log') ||
      ['apiVersion', 'description'].includes(name)
      ? []
      : [[name, own] as const]
  })
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/**
 * The operator adds labels and namespaces to all of its objects. Upstream's scheme here does not
 * know the kind of OpenShift.
 */
function comparable({ kind = 'SecurityContextConstraints', metadata, ...fields }: KubeObject): readonly [string, unknown] {
  const { name = '', annotations: own = {} } = metadata ?? {}
  return [`${kind}/${name}`, normalised({ ...fields, annotations: own })]
}

test("workloads have the objects of upstream's own code", async (t) => {
  const started = await startOracle(
    'workloads',
    [...Object.entries(images), ['OPERATOR_NAMESPACE', namespace]].map((pair) => pair.join('=')),
  )
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  let compared = 0
  for (const openShift of [true, false])
    for (const workers of [1, 2])
      for (const spec of specs) {
        const object = { apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged', metadata: { name: 'h', namespace, annotations }, spec }
        const upstream = (await oracle.ask({ object, openShift, isHighlyAvailable: workers > 1 })) as readonly KubeObject[]
        const input: RenderingInput = {
          hyperconverged: object as RenderingInput['hyperconverged'],
          nodes: { workloadArchitectures: [], controlPlaneArchitectures: [], defaultArchitecture: undefined, controlPlanes: 1, workers },
          version: 'v1',
          namespace,
          environment: images,
          cluster: { isOpenShift: openShift },
        }
        const ours = wantedWorkloads(input).map((component) => ({
          ...objectOf(renderComponent(component, input).values),
          kind: component.kind,
        }))
        const named = wantedWorkloads(input).map(({ objectName }, index) => {
          const rendered = ours[index] as KubeObject
          return comparable({ ...rendered, metadata: { ...rendered.metadata, name: objectName } })
        })
        assert.deepEqual(new Map(named), new Map(upstream.map(comparable)), JSON.stringify({ spec, openShift, workers }))
        compared += named.length
      }
  t.diagnostic(`${compared} objects are equal`)
})
