import { stringify } from 'yaml'
import { componentNamespace } from '#api/access/component-users.ts'
import { componentRoleName, componentRoles } from '#api/access/component-roles.ts'
import { installedAccess } from '#apiserver/authorization/bootstrap/bootstrap-policy.ts'
import { prometheusRuleObject } from '#features/hyperconverged/index.ts'
import { registrations } from '#features/virt-api/index.ts'
import { VIRT_API_SERVICE } from '#machine/control-plane/static-pods.ts'
import type { CustomKind } from './custom-kind.ts'
import { customKinds, hyperConvergedKinds, machineKinds } from './custom-kinds.ts'
import { customResourceDefinition, renderBundle, renderManifest } from './custom-resource-definition.ts'
import { DeclarationIndex } from './declaration.ts'
import { notActedOnPaths, renderNotActedOn } from './not-acted-on.ts'
import { readSources } from './read-sources.ts'
import { renderSchemaModule, type SchemaModule } from './schema-module.ts'
import type { Dialect } from './structural-schema.ts'

/** Kinds that the API server knows by itself. */
export const builtIn: Dialect = { custom: false, defaultsOf: () => true }

/**
 * Kinds that are installed by CustomResourceDefinitions. Defaults of pods are not defaults of
 * guests, so those of other groups do not count.
 */
export const custom: Dialect = {
  custom: true,
  defaultsOf: (file) => /^src\/api\/(kubevirt|hco|instancetype|snapshot|clone|migrations|steadyvm)\//.test(file),
}

/** Folders below `src/api` with schemas. */
export const schemaModules: readonly SchemaModule[] = [
  ...[
    'meta/v1',
    'core/v1',
    'apps/v1',
    'batch/v1',
    'coordination/v1',
    'rbac/v1',
    'apiextensions/v1',
    'apiregistration/v1',
    'admissionregistration/v1',
    'policy/v1',
    'storage/v1',
    'scheduling/v1',
    'discovery/v1',
    'authentication/v1',
    'authorization/v1',
    'networking/v1',
    'autoscaling/v1',
    'autoscaling/v2',
    'node/v1',
    'certificates/v1',
    'flowcontrol/v1',
    'events/v1',
  ].map((folder) => ({ folder, dialect: builtIn })),
  ...[
    'kubevirt/v1',
    'instancetype/v1',
    'instancetype/v1beta1',
    'snapshot/v1beta1',
    'clone/v1beta1',
    'export/v1',
    'migrations/v1alpha1',
    'steadyvm/v1alpha1',
    'hco/v1',
    'hco/v1beta1',
    'cdi/v1beta1',
  ].map((folder) => ({
    folder,
    dialect: custom,
  })),
]

/** Reports whether the generator reads a file. */
export function isSource(file: string): boolean {
  if (file === 'src/apimachinery/meta/object-meta.ts') return true
  // What is computed from wire types, not the types.
  if (file.startsWith('src/api/usage/')) return false
  return file.startsWith('src/api/') && file.endsWith('.ts') && !/\.(generated|test)\.ts$/.test(file)
}

/** Reads the interfaces of the repository at `root`. */
export function readRepository(root: string): DeclarationIndex {
  const projects = ['src/api/tsconfig.json', 'src/apimachinery/tsconfig.json']
  return new DeclarationIndex(readSources({ root, projects, include: isSource }))
}

function hardwareNotActedOn(index: DeclarationIndex): string {
  const folder = 'src/api/instancetype/v1beta1'
  const instancetype = index.require(`${folder}/virtual-machine-instancetype.ts`, 'VirtualMachineInstancetypeSpec')
  const preference = index.require(`${folder}/virtual-machine-preference.ts`, 'VirtualMachinePreferenceSpec')
  return renderNotActedOn({
    instancetypeFieldsNotActedOn: notActedOnPaths(instancetype, index),
    preferenceFieldsNotActedOn: notActedOnPaths(preference, index),
  })
}

function notActedOn(index: DeclarationIndex): string {
  const machine = index.require('src/api/kubevirt/v1/virtual-machine.ts', 'VirtualMachineSpec')
  const guest = index.require('src/api/kubevirt/v1/virtual-machine-instance.ts', 'VirtualMachineInstanceSpec')
  const system = index.require('src/api/kubevirt/v1/kubevirt.ts', 'KubeVirtSpec')
  return renderNotActedOn({
    kubeVirtFieldsNotActedOn: notActedOnPaths(system, index),
    virtualMachineFieldsNotActedOn: notActedOnPaths(machine, index),
    virtualMachineInstanceFieldsNotActedOn: notActedOnPaths(guest, index),
  })
}

/** The alerts that hyperconverged-operator applies itself where the Prometheus operator runs. */
function renderAlerts(): string {
  const head = [
    '# Made by tools/generate from src/features/hyperconverged/observability. Do not edit: run `npm run generate`.',
    '# The operator applies it where the Prometheus operator runs. Others take what is below `spec`.',
  ]
  return `${head.join('\n')}\n${stringify(prometheusRuleObject(), { aliasDuplicateObjects: false, lineWidth: 0 })}`
}

/** Kinds by the file of their CustomResourceDefinitions. */
const bundles: Readonly<Record<string, readonly CustomKind[]>> = {
  crds: customKinds,
  'hyperconverged-crds': hyperConvergedKinds,
  'machine-crds': machineKinds,
}

/** Everything that is generated: text by path, relative to the root. */
export function generate(index: DeclarationIndex): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const module of schemaModules)
    files.set(`src/api/${module.folder}/schema.generated.ts`, renderSchemaModule(module, schemaModules, index))
  files.set('src/api/kubevirt/v1/not-acted-on.generated.ts', notActedOn(index))
  files.set('src/api/instancetype/v1beta1/not-acted-on.generated.ts', hardwareNotActedOn(index))
  for (const [bundle, kinds] of Object.entries(bundles)) {
    const definitions = kinds.map((kind) => customResourceDefinition(kind, index, custom))
    for (const definition of definitions) files.set(`manifests/crds/${definition.metadata.name ?? ''}.yaml`, renderManifest(definition))
    files.set(`manifests/${bundle}.generated.json`, renderBundle(definitions))
  }
  const roles = componentRoles(componentNamespace).filter(({ metadata }) => metadata.name !== componentRoleName('virt-operator'))
  files.set('manifests/access.generated.json', `${JSON.stringify([...installedAccess(), ...roles], null, 1)}\n`)
  files.set('manifests/alerts/hyperconverged.yaml', renderAlerts())
  const service = { namespace: componentNamespace, name: VIRT_API_SERVICE }
  files.set('manifests/registrations.generated.json', `${JSON.stringify(registrations({ service, caBundle: '' }), null, 1)}\n`)
  return files
}
