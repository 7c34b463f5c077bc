import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isAlreadyExists, messageOf } from '#apimachinery/errors.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { isOfThisRun, ownersOf, runAnnotations, suffixOf } from '../../objects/created-objects.ts'
import { parseManifest } from '../../objects/manifest.ts'
import { namespaceOf, objectName } from '../../objects/object-names.ts'
import { splitWords } from '../../program/split-words.ts'
import type { TaskContext, TaskDefinition } from '../../task.ts'
import { startVm } from '../guest/vm-power.ts'
import { virtctlVm } from './virtctl-vm.ts'

/** KubeVirt's label of guests with the name of their VM, by which Services select them. */
const nameLabel = 'vm.kubevirt.io/name'
const runStrategies: readonly string[] = ['Always', 'Halted', 'Manual', 'Once', 'RerunOnFailure']

/** Creates a VM. */
export const createVmFromManifest: TaskDefinition = {
  name: 'create-vm-from-manifest',
  description: 'Creates a VM from a manifest or from arguments of "virtctl create vm", and starts it on request.',
  parameters: [
    { name: 'manifest', type: 'string', environment: 'VM_MANIFEST', default: '', description: 'Manifest of the VirtualMachine' },
    {
      name: 'virtctl',
      type: 'string',
      environment: 'VIRTCTL',
      default: '',
      description: 'Arguments of "virtctl create vm", in place of a manifest',
    },
    {
      name: 'namespace',
      type: 'string',
      environment: 'VM_NAMESPACE',
      default: '',
      description: 'Namespace of the VM (default: that of the manifest, or else of the pod)',
    },
    {
      name: 'startVM',
      type: 'string',
      environment: 'START_VM',
      default: '',
      description: '"true" or "false": start the VM. Without effect on a VM that starts by its run strategy',
    },
    {
      name: 'runStrategy',
      type: 'string',
      environment: 'RUN_STRATEGY',
      default: '',
      description: `Run strategy of the VM in place of the manifest's: ${runStrategies.join(', ')}`,
    },
    {
      name: 'setOwnerReference',
      type: 'string',
      environment: 'SET_OWNER_REFERENCE',
      default: 'false',
      description: '"true" or "false": the VM is deleted with the pod of the task',
    },
  ],
  results: [
    { name: 'name', description: 'Name of the VM' },
    { name: 'namespace', description: 'Namespace of the VM' },
  ],
  rules: [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'create'] },
    { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/start'], verbs: ['update'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  ],
  async run(context) {
    const { parameters, log } = context
    const starts = parameters.isTrue('startVM')
    const wanted = wantedVm(context)
    const namespace = wanted.metadata.namespace ?? ''
    const vm = await create(context, withOwners(wanted, await ownersOf(context, namespace)))
    const key = { namespace, name: vm.metadata.name ?? '' }
    const { running, runStrategy } = vm.spec
    if (starts && (running === true || ['Always', 'Once', 'RerunOnFailure'].includes(runStrategy ?? '')))
      log('startVM is without effect: the VM starts by its run strategy')
    else if (starts) await startVm(context, key)
    return key
  },
}

/** The VM as it shall be created, in its namespace. @throws TaskFailed */
function wantedVm(context: TaskContext): VirtualMachine {
  const { parameters } = context
  const [manifest, virtctl] = [parameters.verbatim('manifest').trim(), parameters.text('virtctl')]
  if ((manifest === '') === (virtctl === '')) throw badInput('Exactly one of the parameters manifest and virtctl must be given')
  const given = manifest === '' ? fromVirtctl(context, virtctl) : withNameLabel(fromManifest(manifest))
  const runStrategy = parameters.text('runStrategy')
  if (runStrategy !== '' && !runStrategies.includes(runStrategy))
    throw badInput(`Parameter runStrategy must be one of ${runStrategies.join(', ')}, and is ${JSON.stringify(runStrategy)}`)
  const { running: _, ...spec } = given.spec
  const { generateName, name = '' } = given.metadata
  if (name === '' && (generateName ?? '') === '') throw badInput('The VM needs a metadata.name or a metadata.generateName')
  return {
    ...given,
    metadata: {
      ...given.metadata,
      // A run that begins again finds its VM by the name.
      ...(name === '' && context.run !== undefined ? { name: `${generateName}${suffixOf(context, 'vm')}` } : {}),
      namespace: objectName(parameters, 'namespace') || given.metadata.namespace || namespaceOf(context, 'namespace'),
      annotations: { ...given.metadata.annotations, ...runAnnotations(context) },
    },
    spec: runStrategy === '' ? given.spec : { ...spec, runStrategy: runStrategy as NonNullable<VirtualMachine['spec']['runStrategy']> },
  }
}

function fromManifest(manifest: string): VirtualMachine {
  const object = parseManifest('manifest', manifest)
  if (object.kind !== 'VirtualMachine' || object.apiVersion?.startsWith('kubevirt.io/') !== true)
    throw badInput(`Parameter manifest must be a VirtualMachine of kubevirt.io, and is a ${object.kind} of ${object.apiVersion}`)
  const { metadata = {}, spec } = object as Partial<VirtualMachine>
  if (typeof spec !== 'object' || spec === null) throw badInput('Parameter manifest has a VirtualMachine without a spec')
  return { ...object, metadata, spec } as VirtualMachine
}

function fromVirtctl(context: TaskContext, text: string): VirtualMachine {
  const words = splitWords(text)
  if (words === undefined) throw badInput('Parameter virtctl has a quote that is not closed')
  return virtctlVm(words, `vm-${suffixOf(context, 'vm')}`)
}

/** Labels the guest with the name of its VM, when that is known. */
function withNameLabel(vm: VirtualMachine): VirtualMachine {
  const { name } = vm.metadata
  const { template } = vm.spec
  if (name === undefined || template === undefined) return vm
  const metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [nameLabel]: name } }
  return { ...vm, spec: { ...vm.spec, template: { ...template, metadata } } }
}

function withOwners(vm: VirtualMachine, owners: readonly OwnerReference[]): VirtualMachine {
  if (owners.length === 0) return vm
  return { ...vm, metadata: { ...vm.metadata, ownerReferences: [...(vm.metadata.ownerReferences ?? []), ...owners] } }
}

async function create({ client, log, signal, run }: TaskContext, vm: VirtualMachine): Promise<VirtualMachine> {
  const { namespace = '', name = '', generateName } = vm.metadata
  try {
    const created = await client.create(virtualMachines, vm, { fieldValidation: 'Warn', signal })
    log(`Created VM ${namespace}/${created.metadata.name}`)
    return created as VirtualMachine
  } catch (error) {
    const present = isAlreadyExists(error) && name !== '' ? await client.get(virtualMachines, { namespace, name }, { signal }) : undefined
    if (present !== undefined && isOfThisRun({ run }, present)) {
      log(`VM ${namespace}/${name} is from an interrupted run, which goes on`)
      return present
    }
    throw new TaskFailed(exitCodes.createFailed, `Cannot create VM ${namespace}/${name || generateName}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
