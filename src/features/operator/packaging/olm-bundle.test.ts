import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { installationManifests, unbundledManifests, type Installation } from '../manifests/operator-manifests.ts'
import { olmBundle, type OlmOptions } from './olm-bundle.ts'

const definition = (name: string, kind = 'KubeVirt'): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { names: { kind }, versions: [{ name: 'v1' }, { name: 'v1alpha3' }] },
  }) as KubeObject
const installation: Installation = {
  version: 'v1.2.3',
  registry: 'mine.test/team',
  ownRegistry: 'o.test',
  namespace: 'kubevirt',
  definitions: [definition('kubevirts.kubevirt.io'), definition('things.example.com')],
}
const further = 'further-operator'
const access = (kind: string, rules: readonly PolicyRule[]): KubeObject[] =>
  [
    { kind, metadata: { name: `steadyvm-${further}` }, rules },
    { kind: `${kind}Binding`, metadata: { name: `steadyvm-${further}` } },
  ] as KubeObject[]
const rule = (resource: string): PolicyRule => ({ apiGroups: ['example.com'], resources: [resource], verbs: ['get'] })
const furtherOperators = [
  definition('platforms.example.com', 'Platform'),
  { kind: 'ServiceAccount', metadata: { name: further, namespace: 'kubevirt' } },
  ...access('ClusterRole', [rule('everywhere')]),
  ...access('Role', [rule('here')]),
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: 'one-platform' } },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'one-platform' } },
  { kind: 'Service', metadata: { name: further, namespace: 'kubevirt' } },
  {
    kind: 'Deployment',
    metadata: { name: further, namespace: 'kubevirt', labels: { a: 'b' } },
    spec: { template: { spec: { serviceAccountName: further, containers: [{ name: further, image: 'mine.test/further:1' }] } } },
  },
] as unknown as readonly KubeObject[]
const initialization = { kind: 'Platform', metadata: { name: 'platform', namespace: 'kubevirt' } } as KubeObject
const options: OlmOptions = { ...installation, channel: 'stable', maxOpenShift: '4.20', furtherOperators, initialization }
const files = olmBundle({ ...options, replaces: 'v1.2.2' })
const read = (path: string): unknown => parse(files.get(path) ?? assert.fail(`no ${path}`))

interface Permissions {
  readonly serviceAccountName: string
  readonly rules: readonly PolicyRule[]
}

interface Version {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> }
  readonly spec: {
    readonly version: string
    readonly replaces?: string
    readonly relatedImages: readonly { readonly name: string }[]
    readonly customresourcedefinitions: { readonly owned: readonly { readonly name: string; readonly version: string }[] }
    readonly install: {
      readonly spec: {
        readonly clusterPermissions: readonly Permissions[]
        readonly permissions: readonly Permissions[]
        readonly deployments: readonly {
          readonly name: string
          readonly spec: { template: { spec: { containers: [{ image: string; args: string[] }] } } }
        }[]
      }
    }
  }
}

const version = read('manifests/steadyvm.clusterserviceversion.yaml') as Version
const manifests = [...files].flatMap(([path, text]) =>
  path.startsWith('manifests/') && !path.includes('clusterserviceversion') ? [parse(text) as KubeObject] : [],
)

/** Kinds beside CRDs that OLM applies from bundles, of those that steadyvm has. */
const supported = ['ClusterRole', 'ClusterRoleBinding', 'PodDisruptionBudget', 'Role', 'RoleBinding', 'Service', 'ServiceAccount']

suite('olmBundle()', () => {
  test('names this release and the one that it replaces', () => {
    assert.deepEqual([version.metadata.name, version.spec.version, version.spec.replaces], ['steadyvm.v1.2.3', '1.2.3', 'steadyvm.v1.2.2'])
    const first = olmBundle(options)
    assert.doesNotMatch(first.get('manifests/steadyvm.clusterserviceversion.yaml') ?? '', /replaces/)
  })

  test('has only kinds that OLM supports', () => {
    const kinds = new Set(manifests.map(({ kind = '' }) => kind))
    assert.deepEqual([...kinds].toSorted(), ['CustomResourceDefinition', ...supported].toSorted())
    for (const { metadata } of manifests) assert.equal(metadata?.namespace, undefined, 'OLM sets the namespace')
  })

  test('has the access of each component, and leaves that of virt-operator to OLM', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata?.name}`)
    for (const component of ['virt-api', 'virt-controller', 'virt-handler']) {
      assert.ok(names.includes(`ServiceAccount ${component}`), component)
      assert.ok(names.includes(`ClusterRole system:steadyvm:${component}`), component)
    }
    assert.deepEqual(
      names.filter((name) => name.endsWith('operator')),
      ['PodDisruptionBudget virt-operator', `Service ${further}`],
    )
  })

  test('owns each version of the KubeVirt CRD, and leaves the others to virt-operator', () => {
    const owned = version.spec.customresourcedefinitions.owned.map((one) => `${one.name} ${one.version}`)
    assert.deepEqual(owned, [
      'kubevirts.kubevirt.io v1',
      'kubevirts.kubevirt.io v1alpha3',
      'platforms.example.com v1',
      'platforms.example.com v1alpha3',
    ])
    assert.equal(files.has('manifests/things.example.com.customresourcedefinition.yaml'), false)
  })

  test('lets virt-operator apply what OLM does not support, and nothing else of these kinds', () => {
    const { clusterPermissions, deployments } = version.spec.install.spec
    const [container] = deployments[0]?.spec.template.spec.containers ?? assert.fail()
    assert.ok(container.args.includes('--olm=true'))
    assert.equal(container.image, 'mine.test/team/virt-operator:v1.2.3')
    const rules = clusterPermissions.flatMap((permissions) => permissions.rules)
    const policies = furtherOperators.filter(({ kind = '' }) => kind.startsWith('Validating'))
    for (const { kind, metadata } of [...unbundledManifests('kubevirt'), ...policies]) {
      const plural = kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : `${kind?.toLowerCase()}s`
      const own = rules.filter(({ resources = [] }) => resources.includes(plural))
      assert.deepEqual(
        own.filter(({ resourceNames }) => resourceNames === undefined).map(({ verbs }) => verbs),
        [['create']],
        `${kind} ${metadata?.name}`,
      )
      assert.ok(
        own.some(({ resourceNames = [] }) => resourceNames.includes(metadata?.name ?? '')),
        `${kind} ${metadata?.name}`,
      )
    }
  })

  test('gives each operator its deployment, and the rights of its own roles', () => {
    const { clusterPermissions, permissions, deployments } = version.spec.install.spec
    assert.deepEqual(
      deployments.map(({ name }) => name),
      ['virt-operator', further],
    )
    const rulesOf = (list: readonly Permissions[]): unknown => list.find(({ serviceAccountName }) => serviceAccountName === further)?.rules
    assert.deepEqual([rulesOf(clusterPermissions), rulesOf(permissions)], [[rule('everywhere')], [rule('here')]])
    assert.deepEqual(
      version.spec.relatedImages.map(({ name }) => name),
      ['virt-operator', further, 'virt-api', 'virt-controller', 'virt-handler', 'virt-importer', 'virt-launcher', 'virt-exportserver'],
    )
  })

  test('says how far OpenShift may be upgraded, as OLM reads it', () => {
    const properties = JSON.parse(version.metadata.annotations['olm.properties'] ?? '') as unknown
    assert.deepEqual(properties, [{ type: 'olm.maxOpenShiftVersion', value: '4.20' }])
  })

  test('has the objects that install all components as examples', () => {
    const examples = JSON.parse(version.metadata.annotations['alm-examples'] ?? '[]') as KubeObject[]
    const kubevirt = installationManifests(installation).find(({ kind }) => kind === 'KubeVirt')
    assert.deepEqual(examples, [initialization, kubevirt])
    assert.deepEqual(JSON.parse(version.metadata.annotations['operatorframework.io/initialization-resource'] ?? ''), initialization)
  })

  test('has the same metadata for OLM and for the image', () => {
    const { annotations } = read('metadata/annotations.yaml') as { annotations: Record<string, string> }
    const labels = [...(files.get('bundle.Dockerfile') ?? '').matchAll(/^LABEL ([^=]+)=(.*)$/gm)].map(([, name, value]) => [name, value])
    assert.deepEqual(Object.fromEntries(labels), annotations)
  })
})
