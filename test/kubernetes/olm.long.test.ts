import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { parse } from 'yaml'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-olm-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { own, buildImages, steadyvm, apply, getJson } = installationOn(cluster, { work })
const namespace = 'kubevirt'
const unbundled = ['csidrivers', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'rolebindings -n kube-system']

interface ClusterServiceVersion {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> }
  readonly spec: {
    readonly install: {
      readonly spec: Readonly<
        Record<
          'clusterPermissions' | 'permissions',
          readonly { readonly serviceAccountName: string; readonly rules: readonly PolicyRule[] }[]
        >
      > & { readonly deployments: readonly { readonly name: string; readonly label: object; readonly spec: object }[] }
    }
  }
}

/** Returns the objects that the Operator Lifecycle Manager creates for a bundle. */
function objectsOf(folder: string): { readonly version: ClusterServiceVersion; readonly objects: readonly object[] } {
  const files = readdirSync(join(folder, 'manifests')).map(
    (name) => parse(readFileSync(join(folder, 'manifests', name), 'utf8')) as KubeObject,
  )
  const version = files.find(({ kind }) => kind === 'ClusterServiceVersion') as unknown as ClusterServiceVersion
  const { clusterPermissions, permissions, deployments } = version.spec.install.spec
  const { name } = version.metadata
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const access = (prefix: '' | 'Cluster', given: typeof permissions): object[] =>
    given.flatMap(({ serviceAccountName, rules }) => {
      const metadata = { name: `${serviceAccountName}.${name}`, ...(prefix === '' ? { namespace } : {}) }
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: metadata.name }
      const subjects = [{ kind: 'ServiceAccount', name: serviceAccountName, namespace }]
      return [
        { apiVersion, kind: `${prefix}Role`, metadata, rules },
        { apiVersion, kind: `${prefix}RoleBinding`, metadata, roleRef, subjects },
      ]
    })
  const isClusterWide = (kind = ''): boolean => kind.startsWith('Cluster') || kind === 'CustomResourceDefinition'
  return {
    version,
    objects: [
      ...files
        .filter(({ kind }) => kind !== 'ClusterServiceVersion')
        .map((object) => (isClusterWide(object.kind) ? object : { ...object, metadata: { ...object.metadata, namespace } })),
      ...permissions.map(({ serviceAccountName }) => ({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: serviceAccountName, namespace },
      })),
      ...access('Cluster', clusterPermissions),
      ...access('', permissions),
      ...operatorCondition(name, deployments),
      ...deployments.map((deployment) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: deployment.name, namespace, labels: deployment.label },
        spec: withVariable(deployment.spec, { name: 'OPERATOR_CONDITION_NAME', value: name }),
      })),
    ],
  }
}

/** Returns the OperatorCondition of a version, and the access of its operators to it. */
function operatorCondition(name: string, deployments: readonly { readonly name: string }[]): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io'
  const metadata = { name, namespace }
  const rules = [
    { apiGroups: ['operators.coreos.com'], resources: ['operatorconditions'], resourceNames: [name], verbs: ['get', 'update', 'patch'] },
  ]
  return [
    { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition', metadata, spec: {} },
    { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: deployments.map((deployment) => ({ kind: 'ServiceAccount', name: deployment.name, namespace })),
    },
  ]
}

interface PodSpec {
  readonly containers: readonly { readonly env?: readonly object[] }[]
}

function withVariable(spec: object, variable: object): object {
  const { template } = spec as { readonly template: { readonly spec: PodSpec } }
  const containers = template.spec.containers.map((container) => ({ ...container, env: [...(container.env ?? []), variable] }))
  return { ...spec, template: { ...template, spec: { ...template.spec, containers } } }
}

/** CRD of OLM, without its schema. */
const operatorConditionDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'operatorconditions.operators.coreos.com' },
  spec: {
    group: 'operators.coreos.com',
    scope: 'Namespaced',
    names: { kind: 'OperatorCondition', plural: 'operatorconditions', singular: 'operatorcondition' },
    versions: [
      {
        name: 'v2',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

// The Operator Lifecycle Manager itself is not run: its objects are created as it creates them.
suite('the OLM bundle on a Kubernetes cluster', { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  const bundle = join(work, 'bundle')
  let objects: readonly object[] = []

  const listUnbundled = async (): Promise<string> => {
    const lists = await Promise.all(unbundled.map((what) => cluster.kubectl(['get', ...what.split(' '), '-o', 'name'])))
    return lists
      .join('')
      .split('\n')
      .filter((name) => /steadyvm/.test(name))
      .toSorted()
      .join(' ')
  }

  const upgradeable = async (version: string): Promise<string> => {
    const { spec } = await getJson<{ spec?: { conditions?: { type: string; status: string }[] } }>(
      'operatorcondition',
      version,
      '-n',
      namespace,
    )
    return spec?.conditions?.find(({ type }) => type === 'Upgradeable')?.status ?? ''
  }

  before(async () => {
    const images = await buildImages(own)
    await cluster.up({ nodes: 1, features: 'ImageVolume=true' })
    await cluster.load(join(images, 'images.tar'))
    await steadyvm('package', 'olm', '--output', bundle)
  })
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  test('installs the operators, which install what a bundle cannot contain, and the components', async () => {
    await cluster.kubectl(['create', 'namespace', namespace])
    await cluster.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=privileged'])
    await cluster.kubectl(['create', '-f', '-'], [operatorConditionDefinition])
    await cluster.kubectl(['wait', `crd/${operatorConditionDefinition.metadata.name}`, '--for=condition=Established', '--timeout=30s'])
    const installation = objectsOf(bundle)
    objects = installation.objects
    await cluster.kubectl(['create', '-f', '-'], objects)
    await apply(installation.version.metadata.annotations['operatorframework.io/initialization-resource'] ?? '')
    const platform = 'hco/kubevirt-hyperconverged'
    await cluster.kubectl(['wait', platform, '-n', namespace, '--for=condition=Available', '--timeout=300s'])
    assert.equal((await listUnbundled()).split(' ').length, 10)
    await eventually(async () => (await upgradeable(installation.version.metadata.name)) === 'True', listUnbundled, 60_000)
    for (const name of ['1-instancetype', '2-preference', '3-virtual-machine'])
      await cluster.kubectl(['apply', '-f', join(repository, 'examples', `${name}.yaml`)])
    await cluster.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=180s'])
  })

  test('is removed without remains', async () => {
    await cluster.kubectl(['delete', 'vm/demo', '--timeout=120s'])
    await cluster.kubectl(['delete', 'hco/kubevirt-hyperconverged', '-n', namespace, '--timeout=240s'])
    assert.equal(await listUnbundled(), '')
    await cluster.kubectl(['delete', '--ignore-not-found', '--timeout=120s', '-f', '-'], objects)
    // The operators leave their certificates and webhooks, which OLM does not know.
    await steadyvm('uninstall', '--yes')
    const left = await cluster.kubectl([
      'get',
      'validatingwebhookconfiguration,mutatingwebhookconfiguration,deploy,ds,sa,role,rolebinding,secret,cm,clusterrole,clusterrolebinding',
      '-n',
      namespace,
      '-o',
      'name',
    ])
    assert.doesNotMatch(left, /steadyvm|virt-|hyperconverged/)
  })
})
