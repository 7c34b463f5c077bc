import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { frontProxyReader } from '#api/access/component-rules.ts'
import type { ClusterRole, PolicyRule } from '#api/rbac/v1/role.ts'
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
  /** Last minor version of OpenShift for which this release is meant, such as 4.20. */
  readonly maxOpenShift: string
  /** Objects of further operators, which begin with their CRDs. */
  readonly furtherOperators: readonly KubeObject[]
  /** Object that makes the operators install all components. */
  readonly initialization: KubeObject
}

/** Name of the package of OLM. */
export const packageName = 'steadyvm'
/** File of the ClusterServiceVersion in the bundle. */
export const clusterServiceVersionFile: string = `manifests/${packageName}.clusterserviceversion.yaml`
const operator = 'virt-operator'

/**
 * Renders a bundle of the Operator Lifecycle Manager (format registry+v1): its
 * ClusterServiceVersion has the operators and their rights, the other manifests the access of the
 * components. virt-operator installs the CRDs that no operator reads, and what OLM does not support
 * in bundles. Pure.
 */
export function olmBundle(options: OlmOptions): PackageFiles {
  const { namespace, channel, furtherOperators } = options
  const objects = [...installationManifests({ ...options, appliesUnbundled: true }), ...furtherOperators]
  const operators = objects.filter((object): object is Deployment => object.kind === 'Deployment')
  const unbundled = new Set(unbundledOf(options).map(keyOf))
  const owned = new Set([ownDefinition, ...furtherOperators.filter(isDefinition).map(({ metadata }) => metadata?.name)])
  const manifests = objects.filter(
    (object) =>
      !unbundled.has(keyOf(object)) &&
      !inVersion.has(object.kind ?? '') &&
      !isAccessOf(operators, object) &&
      (!isDefinition(object) || owned.has(object.metadata?.name)),
  )
  return new Map([
    [clusterServiceVersionFile, toYaml(clusterServiceVersion(options, objects, manifests))],
    ...manifests.map((object): [string, string] => [`manifests/${fileOf(object)}`, toYaml(withoutNamespace(object, namespace))]),
    ['metadata/annotations.yaml', toYaml({ annotations: bundleAnnotations(channel) })],
    ['bundle.Dockerfile', dockerfile(channel)],
  ])
}

const ownDefinition = 'kubevirts.kubevirt.io'

/** Kinds that OLM creates from the ClusterServiceVersion, or the administrator. */
const inVersion: ReadonlySet<string> = new Set(['Namespace', 'Deployment', 'KubeVirt'])

/** Objects that virt-operator applies, since a bundle cannot contain them. */
function unbundledOf({ namespace, furtherOperators }: OlmOptions): readonly KubeObject[] {
  return [...unbundledManifests(namespace), ...furtherOperators.filter(({ kind = '' }) => kind.startsWith('ValidatingAdmissionPolicy'))]
}

function isDefinition(object: KubeObject): object is CustomResourceDefinition {
  return object.kind === 'CustomResourceDefinition'
}

/** OLM creates the accounts of the operators and their roles. */
function isAccessOf(operators: readonly Deployment[], { kind = '', metadata }: KubeObject): boolean {
  return (
    /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind) && operators.some(({ metadata: { name } }) => isNamedAfter(metadata, name))
  )
}

function isNamedAfter(metadata: KubeObject['metadata'], operatorName = ''): boolean {
  return metadata?.name?.endsWith(operatorName) === true
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

function clusterServiceVersion(options: OlmOptions, objects: readonly KubeObject[], manifests: readonly KubeObject[]): object {
  const { version, namespace, registry, replaces, maxOpenShift, initialization } = options
  const operators = objects.filter((object): object is Deployment => object.kind === 'Deployment')
  const kubevirt = objects.find(({ kind }) => kind === 'KubeVirt')
  const number = version.replace(/^v/, '')
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: nameOf(version),
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify([initialization, kubevirt]),
        capabilities: 'Deep Insights',
        categories: 'Cloud Provider',
        containerImage: `${registry}/${operator}:${version}`,
        // OpenShift does not upgrade itself beyond this version while the release is installed.
        'olm.properties': JSON.stringify([{ type: 'olm.maxOpenShiftVersion', value: maxOpenShift }]),
        'operatorframework.io/initialization-resource': JSON.stringify(initialization),
        'operatorframework.io/suggested-namespace': namespace,
        support: 'steadyvm',
      },
    },
    spec: {
      displayName: 'steadyvm',
      description: [
        'Virtual machines that stay steady while everything under them changes, by the APIs of KubeVirt.',
        '',
        'Create the HyperConverged object in the namespace of the operators: it configures all components.',
        'Delete it before the operators: they remove the components in the order that guests need.',
      ].join('\n'),
      version: number,
      ...(replaces === undefined ? {} : { replaces: nameOf(replaces) }),
      maturity: 'alpha',
      minKubeVersion: '1.31.0',
      keywords: ['kubevirt', 'virtual machines', 'qemu', 'hyperconverged'],
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
      customresourcedefinitions: { owned: manifests.filter(isDefinition).flatMap(ownedVersions) },
      relatedImages: imagesOf(options, operators),
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: operators.map(({ metadata: { name = '' } }) => ({
            serviceAccountName: name,
            rules: [...rulesOf('ClusterRole', objects, name), ...(name === operator ? rulesOfUnbundled(options) : [])],
          })),
          permissions: operators.map(({ metadata: { name = '' } }) => ({
            serviceAccountName: name,
            rules: rulesOf('Role', objects, name),
          })),
          deployments: operators.map(({ metadata: { name, labels }, spec }) => ({ name, label: labels ?? {}, spec })),
        },
      },
    },
  }
}

/** Rights that the roles of an operator grant. */
function rulesOf(kind: 'ClusterRole' | 'Role', objects: readonly KubeObject[], name: string): readonly PolicyRule[] {
  const roles = objects.filter((object): object is ClusterRole => object.kind === kind && isNamedAfter(object.metadata, name))
  return roles.flatMap(({ rules }) => rules ?? [])
}

function nameOf(version: string): string {
  return `${packageName}.v${version.replace(/^v/, '')}`
}

/** Titles and descriptions of the kinds, which consoles show. */
const descriptions: Readonly<Record<string, readonly [displayName: string, description: string]>> = {
  KubeVirt: [
    'KubeVirt installation',
    'Version and configuration of the components. One object, in the namespace of the operator. HyperConverged maintains it.',
  ],
  HyperConverged: ['Virtualization platform', 'Configuration of all components. One object, in the namespace of the operator.'],
  ComponentOverride: ['Component override', 'Change of what HyperConverged renders for a component, with owner, reason and expiry.'],
}

function ownedVersions({ metadata, spec }: CustomResourceDefinition): object[] {
  const { kind } = spec.names
  const [displayName, description] = descriptions[kind] ?? [kind, kind]
  return spec.versions.map(({ name: version }) => ({ name: metadata.name, version, kind, displayName, description }))
}

function imagesOf({ registry, version }: OlmOptions, operators: readonly Deployment[]): object[] {
  const images = operators.flatMap(({ spec }) => spec.template.spec.containers.map(({ name, image }) => ({ name, image })))
  const others = ['virt-api', 'virt-controller', 'virt-handler', 'virt-importer', 'virt-launcher', 'virt-exportserver']
  return [...images, ...others.map((name) => ({ name, image: `${registry}/${name}:${version}` }))]
}

/** Rights to apply, repair and remove exactly the objects that OLM cannot create. */
function rulesOfUnbundled(options: OlmOptions): readonly PolicyRule[] {
  const objects = unbundledObjects(unbundledOf(options))
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
