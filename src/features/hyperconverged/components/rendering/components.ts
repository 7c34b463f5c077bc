import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { renderFileRestore, renderMigration, renderNetworkAddons, renderQuotas, renderTemplates } from './foreign.ts'
import { renderKubeVirt } from './kubevirt.ts'
import type { Rendered, RenderingInput } from './rendering.ts'
import { renderStorageImport } from './storage-import.ts'

/** Kind of objects that are read. */
export interface CachedKind {
  /** Name in status, events and output. */
  readonly name: string
  readonly group: string
  /** Versions that the renderer writes, preferred ones first. */
  readonly versions: readonly string[]
  readonly kind: string
  readonly plural: string
  readonly objectName: string
  /** Namespace of the only object that is read. Default: all objects of the kind are. */
  readonly onlyIn?: string
  /** True if there are objects of the operator in any namespace. */
  readonly isEverywhere?: true
  /** Set for a kind of Kubernetes itself, which no CRD defines. */
  readonly builtIn?: { readonly namespaced: boolean }
  /** Label selector of the objects that are read. Default: all are. */
  readonly selector?: string
}

/** Kind of an object that the operator maintains. */
export interface ManagedKind extends CachedKind {
  /** Value of the label app.kubernetes.io/component. */
  readonly part: string
  /** True if any object of the kind in the namespace is taken over, whatever its name. */
  readonly adopts?: true
  /** Namespace of the object. Default: that of the operator. */
  readonly namespace?: string
  /** Kind whose cache has the object. Default: that of its name. */
  readonly cache?: string
  /** True if the namespace is created with the object. */
  readonly createsNamespace?: boolean
  /** False if the object has no conditions of an operator: it is ready once it is written. */
  readonly reports?: false
  /** True if another spec needs another object. */
  readonly isSpecImmutable?: true
  /** False if objects of the kind have no spec. */
  readonly hasSpec?: boolean
  /** True if it is ready once its pods are. */
  readonly isRolledOut?: true
  /** True if its data belong to the administrator once it exists. */
  readonly isEditable?: true
  /** Reason why it does not exist, although HyperConverged asks for it. */
  readonly absence?: string
  /** True if the user asks for it, and not a default. */
  readonly isRequested?: boolean
}

/** A component that HyperConverged configures through one object. */
export interface Component extends ManagedKind {
  readonly render: (input: RenderingInput) => Rendered
  /** Default: always. */
  readonly isWanted?: (hyperconverged: Pick<HyperConverged, 'spec'>) => boolean
  /** Field of HyperConverged that switches it on. Default: none does. */
  readonly switchedBy?: string
}

/** All components, in the order in which they are written. */
export const components: readonly Component[] = [
  {
    name: 'kubevirt',
    group: 'kubevirt.io',
    versions: ['v1'],
    kind: 'KubeVirt',
    plural: 'kubevirts',
    objectName: 'kubevirt-kubevirt-hyperconverged',
    part: 'compute',
    render: renderKubeVirt,
    adopts: true,
  },
  {
    name: 'cdi',
    group: 'cdi.kubevirt.io',
    versions: ['v1beta1'],
    kind: 'CDI',
    plural: 'cdis',
    objectName: 'cdi-kubevirt-hyperconverged',
    part: 'storage',
    render: renderStorageImport,
  },
  {
    name: 'network-addons',
    group: 'networkaddonsoperator.network.kubevirt.io',
    versions: ['v1'],
    kind: 'NetworkAddonsConfig',
    plural: 'networkaddonsconfigs',
    objectName: 'cluster',
    part: 'network',
    render: renderNetworkAddons,
  },
  {
    name: 'aaq',
    group: 'aaq.kubevirt.io',
    versions: ['v1alpha1'],
    kind: 'AAQ',
    plural: 'aaqs',
    objectName: 'aaq-kubevirt-hyperconverged',
    part: 'quota-management',
    render: renderQuotas,
    isWanted: ({ spec }) => spec?.deployment?.applicationAwareConfig?.enable === true,
    switchedBy: 'deployment.applicationAwareConfig.enable',
  },
  {
    name: 'migration',
    group: 'migrations.kubevirt.io',
    versions: ['v1alpha1'],
    kind: 'MigController',
    plural: 'migcontrollers',
    objectName: 'migcontroller-kubevirt-hyperconverged',
    part: 'storage',
    render: renderMigration,
  },
  {
    name: 'file-restore',
    group: 'filerestore.kubevirt.io',
    versions: ['v1alpha1'],
    kind: 'FileRestoreOperator',
    plural: 'filerestoreoperators',
    objectName: 'filerestoreoperator-kubevirt-hyperconverged',
    part: 'storage',
    render: renderFileRestore,
  },
  {
    name: 'ssp',
    group: 'ssp.kubevirt.io',
    versions: ['v1beta3'],
    kind: 'SSP',
    plural: 'ssps',
    objectName: 'ssp-kubevirt-hyperconverged',
    part: 'schedule',
    render: renderTemplates,
  },
]

/** Kind whose operator imports boot images from templates. */
export const templatesKind: CachedKind = namedComponent('ssp')

function namedComponent(name: string): Component {
  const component = components.find((one) => one.name === name)
  if (component === undefined) throw new TypeError(`there is no component ${name}`)
  return component
}

/** Name of the CRD of a kind. */
export function definitionName({ plural, group }: Pick<CachedKind, 'plural' | 'group'>): string {
  return `${plural}.${group}`
}

/** Names of the CRDs of all components, by the name of the component. */
export const componentDefinitions: Readonly<Record<string, string>> = Object.fromEntries(
  components.map((component) => [component.name, definitionName(component)]),
)
