import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { componentRules, frontProxyReader } from '#api/access/component-rules.ts'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { toYaml } from '#apimachinery/json/yaml.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { unbundledObjects } from '../install/unbundled-objects.ts'
import { installationManifests, unbundledManifests, type Installation } from '../manifests/operator-manifests.ts'
import type { PackageFiles } from './package-files.ts'

/** Parameters of a bundle. */
export interface OlmOptions extends Installation {
  readonly channel: string
  /** Version that this one replaces in the channel. Default: the first one of the channel. */
  readonly replaces?: string
}

const packageName = 'steadyvm'
const operator = 'virt-operator'

/**
 * Renders a bundle of the Operator Lifecycle Manager (format registry+v1): its
 * ClusterServiceVersion has the operator and its rights, the other manifests the access of the
 * components. virt-operator installs the CRDs other than its own, and what OLM does not support in
 * bundles. Pure.
 */
export function olmBundle(options: OlmOptions): PackageFiles {
  const { namespace, channel } = options
  const objects = installationManifests({ ...options, appliesUnbundled: true })
  const unbundled = new Set(unbundledManifests(namespace).map(keyOf))
  const manifests = objects.filter(
    (object) => !unbundled.has(keyOf(object)) && !inVersion.has(object.kind ?? '') && !isOfOperator(object) && !isOtherDefinition(object),
  )
  return new Map([
    [`manifests/${packageName}.clusterserviceversion.yaml`, toYaml(clusterServiceVersion(options, objects))],
    ...manifests.map((object): [string, string] => [`manifests/${fileOf(object)}`, toYaml(withoutNamespace(object, namespace))]),
    ['metadata/annotations.yaml', toYaml({ annotations: bundleAnnotations(channel) })],
    ['bundle.Dockerfile', dockerfile(channel)],
  ])
}

/** Kinds that OLM creates from the ClusterServiceVersion, or the administrator. */
const inVersion: ReadonlySet<string> = new Set(['Namespace', 'Deployment', 'KubeVirt'])

function isOtherDefinition({ kind, metadata }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && metadata?.name !== 'kubevirts.kubevirt.io'
}

/** OLM creates the account of virt-operator and its roles. */
function isOfOperator({ kind = '', metadata }: KubeObject): boolean {
  return /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind) && metadata?.name?.endsWith(operator) === true
}

function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

function fileOf({ kind = '', metadata }: KubeObject): string {
  return `${(metadata?.name ?? '').replaceAll(':', '.')}.${kind.toLowerCase()}.yaml`
}

/** OLM sets the namespace of the installation. */
function withoutNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata?.namespace !== namespace) return object
  const { namespace: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function clusterServiceVersion(options: OlmOptions, objects: readonly KubeObject[]): object {
  const { version, namespace, registry, replaces } = options
  const deployment = objects.find((object): object is Deployment => object.kind === 'Deployment')
  const definition = objects.find(({ metadata }) => metadata?.name === 'kubevirts.kubevirt.io') as CustomResourceDefinition | undefined
  const example = objects.find(({ kind }) => kind === 'KubeVirt')
  const { cluster, namespace: own } = componentRules[operator]
  const number = version.replace(/^v/, '')
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: nameOf(version),
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify([example]),
        capabilities: 'Deep Insights',
        categories: 'Cloud Provider',
        containerImage: `${registry}/${operator}:${version}`,
        'operatorframework.io/initialization-resource': JSON.stringify(example),
        'operatorframework.io/suggested-namespace': namespace,
        support: 'steadyvm',
      },
    },
    spec: {
      displayName: 'steadyvm',
      description: [
        'Virtual machines that stay steady while everything under them changes, by the APIs of KubeVirt.',
        '',
        'Create the KubeVirt object in the namespace of the operator: virt-operator installs the components.',
        'Delete it before the operator: virt-operator removes them in the order that guests need.',
      ].join('\n'),
      version: number,
      ...(replaces === undefined ? {} : { replaces: nameOf(replaces) }),
      maturity: 'alpha',
      minKubeVersion: '1.31.0',
      keywords: ['kubevirt', 'virtual machines', 'qemu'],
      provider: { name: 'steadyvm' },
      maintainers: [],
      links: [],
      // Components serve all namespaces, and find each other in that of the operator.
      installModes: [
        { type: 'OwnNamespace', supported: true },
        { type: 'SingleNamespace', supported: false },
        { type: 'MultiNamespace', supported: false },
        { type: 'AllNamespaces', supported: true },
      ],
      customresourcedefinitions: { owned: definition === undefined ? [] : ownedVersions(definition) },
      relatedImages: imagesOf(options),
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: [{ serviceAccountName: operator, rules: [...cluster, ...rulesOfUnbundled(namespace)] }],
          permissions: [{ serviceAccountName: operator, rules: own }],
          deployments: [{ name: operator, label: deployment?.metadata.labels ?? {}, spec: deployment?.spec }],
        },
      },
    },
  }
}

function nameOf(version: string): string {
  return `${packageName}.v${version.replace(/^v/, '')}`
}

function ownedVersions({ metadata, spec }: CustomResourceDefinition): object[] {
  return spec.versions.map(({ name: version }) => ({
    name: metadata.name,
    version,
    kind: spec.names.kind,
    displayName: 'KubeVirt installation',
    description: 'Version and configuration of the components. One object, in the namespace of the operator.',
  }))
}

function imagesOf({ registry, version }: OlmOptions): object[] {
  return [operator, 'virt-api', 'virt-controller', 'virt-handler', 'virt-launcher'].map((name) => ({
    name,
    image: `${registry}/${name}:${version}`,
  }))
}

/** Rights to apply, repair and remove exactly the objects that OLM cannot create. */
function rulesOfUnbundled(namespace: string): readonly PolicyRule[] {
  const objects = unbundledObjects(unbundledManifests(namespace))
  const rules = [...Map.groupBy(objects, ({ resource }) => resource)].flatMap(([{ group, plural }, alike]): PolicyRule[] => [
    { apiGroups: [group], resources: [plural], verbs: ['create'] },
    {
      apiGroups: [group],
      resources: [plural],
      resourceNames: alike.map(({ object }) => object.metadata?.name ?? ''),
      verbs: ['get', 'patch', 'delete'],
    },
  ])
  // RBAC refuses to bind a role whose rights virt-operator does not have.
  const bind = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: [frontProxyReader.role], verbs: ['bind'] }
  return [...rules, bind]
}

function bundleAnnotations(channel: string): Readonly<Record<string, string>> {
  const prefix = 'operators.operatorframework.io.bundle'
  return {
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: 'manifests/',
    [`${prefix}.metadata.v1`]: 'metadata/',
    [`${prefix}.package.v1`]: packageName,
    [`${prefix}.channels.v1`]: channel,
    [`${prefix}.channel.default.v1`]: channel,
  }
}

function dockerfile(channel: string): string {
  const labels = Object.entries(bundleAnnotations(channel)).map(([name, value]) => `LABEL ${name}=${value}`)
  return ['FROM scratch', ...labels, 'COPY manifests /manifests/', 'COPY metadata /metadata/', ''].join('\n')
}
