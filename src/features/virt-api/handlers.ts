import { instancetypeFieldsNotActedOn, preferenceFieldsNotActedOn } from '#api/instancetype/v1beta1/not-acted-on.generated.ts'
import { virtualMachineFieldsNotActedOn, virtualMachineInstanceFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineClone } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { VirtualMachineInstancetype } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreference } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceReplicaSet } from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { VirtualMachinePool } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import { virtualMachineRestores } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { badRequest } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { warnOfCatalogue } from '#features/catalogue/index.ts'
import { validateClone } from '#features/clone/index.ts'
import { type ClusterConfig, validateKubeVirt, warnOfSettings, whyNotCreated } from '#features/cluster-config/index.ts'
import { validateDataImportCron, warnOfDataImportCron } from '#features/data-import-cron/index.ts'
import { admitDataVolume, completeClaim, validatePopulationSource, type PopulationSource } from '#features/data-volume/index.ts'
import { warnAboutUserBudget } from '#features/disruption-budget/index.ts'
import { interceptEviction } from '#features/eviction/index.ts'
import { cdiGroup, type ForeignCdi } from '#features/foreign-cdi/index.ts'
import { warnOfHardwareWords } from '#features/hardware-record/index.ts'
import {
  findInstancetype,
  findPreference,
  type Found,
  type Lookup,
  validateInstancetype,
  validatePreference,
  type Verdict,
} from '#features/instancetype/index.ts'
import { completeMigration, validateMigration, validateMigrationUpdate, validatePolicy } from '#features/migration/index.ts'
import { admitUninstall, validateInstallation, warnOfInstallation } from '#features/operator/index.ts'
import { inTemplate, memberToJudge, validatePool, warnOfPool } from '#features/pool/index.ts'
import { validateReplicaSet } from '#features/replicaset/index.ts'
import { validateRestore, validateSnapshot } from '#features/snapshot/index.ts'
import { warnOfStorageProfile } from '#features/storage-profile/index.ts'
import { validateVirtualMachine, warnOfDumps } from '#features/vm/index.ts'
import type { OnCreated } from '#features/vm-metrics/index.ts'
import { validateExport } from '#features/vm-export/index.ts'
import { validatePreset } from '#features/preset/index.ts'
import { admitVmi as admitNewVmi, validateVmiUpdate } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { AdmissionAnswer, AdmissionHandler } from '#runtime/webhook/admission-answer.ts'
import { mutateVirtualMachine } from './mutate-virtual-machine.ts'
import { isComponent, keepStatus, mutateVmi } from './mutate-vmi.ts'
import { warnOfFieldsNotActedOn, warnOfGivenFieldsNotActedOn } from './fields-not-acted-on.ts'
import { answerFor } from './refusal.ts'
import { storedOnlyKinds } from './stored-only.ts'
import { warnOfRevertedFields } from './warn-of-reverted-fields.ts'
import { warnOfStranded } from './warn-of-stranded.ts'

/** Dependencies of the admission handlers. */
export interface AdmissionOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'patch'>
  /** True where CDI judges its objects itself. */
  readonly foreignCdi: ForeignCdi
  /** Of all namespaces. */
  readonly presets: Pick<Lister<VirtualMachineInstancePreset>, 'list'>
  readonly clock: Clock
  readonly log: Logger
  /** Read at each request: it follows the KubeVirt object. */
  readonly config: () => ClusterConfig
  /** Counts VMs that are created. Default: they are not counted. */
  readonly onCreated?: OnCreated
}

/** Returns the handlers by path. KubeVirt's paths. */
export function createAdmissionHandlers(options: AdmissionOptions): Readonly<Record<string, AdmissionHandler>> {
  const instancetype: AdmissionHandler = async (request) => {
    const object = objectOf<VirtualMachineInstancetype>(request)
    const { causes, warnings } = validateInstancetype(object.spec)
    const notActedOn = warnOfFieldsNotActedOn(object.spec, instancetypeFieldsNotActedOn)
    return answerFor(causes, [...warnings, ...notActedOn, ...warnOfCatalogue(object, options.config())])
  }
  const preference: AdmissionHandler = async (request) => {
    const object = objectOf<VirtualMachinePreference>(request)
    const { causes, warnings } = validatePreference(object.spec)
    const notActedOn = warnOfFieldsNotActedOn(object.spec, preferenceFieldsNotActedOn)
    return answerFor(causes, [...warnings, ...notActedOn, ...warnOfCatalogue(object, options.config())])
  }
  return {
    '/kubevirt-validate-delete': (request) => admitUninstall(options.client, request),
    '/kubevirts-validate': (request) => admitKubeVirt(options, request),
    '/virtualmachines-mutate': (request) => mutateVirtualMachine({ client: options.client }, request),
    '/virtualmachines-validate': (request) => admitVirtualMachine(options, request),
    '/virtualmachinepool-validate': (request) => admitPool(options, request),
    '/virtualmachinereplicaset-validate': async (request) => admitReplicaSet(options, request),
    '/virtualmachineinstances-mutate': async (request) => {
      const { presets, config, clock } = options
      return mutateVmi({ presets: presets.list(request.namespace), config: config(), now: timestamp(clock.now()) }, request)
    },
    '/virtualmachineinstances-mutate-update': async (request) => keepStatus(request),
    '/vmipreset-validate-create': async (request) => answerFor(validatePreset(objectOf(request)), []),
    '/virtualmachineinstances-validate-create': async (request) => admitVmi(options, request),
    '/virtualmachineinstances-validate-update': async (request) => admitVmiUpdate(request),
    '/virtualmachineinstancetypes-validate': instancetype,
    '/virtualmachineclusterinstancetypes-validate': instancetype,
    '/instancetypes-delete': (request) => warnOfStranded(options.client, request),
    '/virtualmachinepreferences-validate': preference,
    '/virtualmachineclusterpreferences-validate': preference,
    '/virtualmachinesnapshots-validate': async (request) =>
      answerFor(validateSnapshot(objectOf(request), oldObjectOf<VirtualMachineSnapshot>(request)), []),
    '/virtualmachineclones-validate': async (request) =>
      answerFor(validateClone(objectOf(request), oldObjectOf<VirtualMachineClone>(request)), []),
    '/virtualmachineexports-validate': async (request) =>
      answerFor(validateExport(objectOf(request), oldObjectOf<VirtualMachineExport>(request)), []),
    '/dataimportcron-validate': (request) => admitDataImportCron(options, request),
    '/migration-mutate-create': async (request) => ({ allowed: true, patch: completeMigration(objectOf(request)) }),
    '/migration-validate-create': (request) => admitMigration(options, request),
    '/migration-validate-update': async (request) =>
      answerFor(validateMigrationUpdate(objectOf(request), request.oldObject as VirtualMachineInstanceMigration), []),
    '/migration-policy-validate': async (request) => {
      const policy = objectOf<MigrationPolicy>(request)
      return answerFor(validatePolicy(policy), warnOfFieldsNotActedOn(policy.spec, ['experimental']))
    },
    '/datavolumes-validate': (request) => admitImport(options, request),
    '/pvc-mutate': async (request) => {
      if (await options.foreignCdi()) return { allowed: true }
      const patch = await completeClaim(options.client, objectOf<PersistentVolumeClaim>(request), request.namespace ?? '')
      return { allowed: true, ...(patch.length === 0 ? {} : { patch }) }
    },
    '/populator-validate': (request) => admitPopulationSource(options, request),
    '/storageprofiles-validate': async (request) =>
      (await options.foreignCdi()) ? { allowed: true } : answerFor([], warnOfStorageProfile(objectOf(request))),
    '/virtualmachinerestores-validate': (request) => admitRestore(options, request),
    '/pod-eviction-validate': (request) => interceptEviction(options, request),
    '/stored-only-validate': async ({ kind }) => {
      if (kind.group === cdiGroup && (await options.foreignCdi())) return { allowed: true }
      return answerFor([], [`nothing acts on a ${kind.kind} yet: it is stored${storedOnlyKinds.get(kind.kind) ?? ''}`])
    },
    '/poddisruptionbudgets-validate': (request) => warnAboutUserBudget(options, request),
  }
}

async function admitKubeVirt({ client }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  if (request.operation === 'CREATE') await assertFirstKubeVirt(client, request)
  const [kubevirt, old] = [objectOf<KubeVirt>(request), (request.oldObject ?? undefined) as KubeVirt | undefined]
  const warnings = [
    ...warnOfInstallation(kubevirt),
    ...warnOfHardwareWords(kubevirt),
    ...warnOfSettings(kubevirt, old),
    ...warnOfRevertedFields(kubevirt, old, request.userInfo.username ?? ''),
  ]
  return answerFor([...validateKubeVirt(kubevirt, old), ...validateInstallation(kubevirt, old)], warnings)
}

/** DataVolumes of components were judged with the VM or the image that they are for. */
async function admitImport({ client, foreignCdi }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const dataVolume = objectOf<DataVolume>(request)
  if (isBeingDeleted(dataVolume) || (await foreignCdi())) return { allowed: true }
  const { causes, warnings } = await admitDataVolume({ client, isComponent: isComponent(request.userInfo) }, dataVolume, request)
  return answerFor(causes, warnings)
}

async function admitPopulationSource({ foreignCdi }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const source = objectOf<PopulationSource>(request)
  if (isBeingDeleted(source) || (await foreignCdi())) return { allowed: true }
  const { causes, warnings } = validatePopulationSource(request.kind.kind, source, oldObjectOf<PopulationSource>(request))
  return answerFor(causes, warnings)
}

async function admitVirtualMachine(options: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const vm = objectOf<VirtualMachine>(request)
  if (isBeingDeleted(vm)) return { allowed: true }
  const { causes, warnings } = await judgeVirtualMachine(options, vm, oldObjectOf(request))
  if (causes.length === 0) options.onCreated?.(request)
  return answerFor(causes, warnings)
}

async function judgeVirtualMachine(options: AdmissionOptions, vm: VirtualMachine, old?: VirtualMachine): Promise<Verdict> {
  const { client, config } = options
  const lookup: Lookup = { client }
  const context = {
    old,
    instancetype: await ifFound(options, () => findInstancetype(lookup, vm)),
    preference: await ifFound(options, () => findPreference(lookup, vm)),
    config: config(),
  }
  const { causes, warnings } = validateVirtualMachine(vm, context)
  const own = warnOfFieldsNotActedOn(vm.spec, virtualMachineFieldsNotActedOn)
  // The expansion of a refused VM is unknown.
  const given = causes.length > 0 ? [] : warnOfGivenFieldsNotActedOn(vm, context)
  return { causes, warnings: [...warnings, ...own, ...given, ...warnOfDumps(vm), ...warnOfHardwareWords(vm)] }
}

/** Validates a pool, and the VM in its template as it will be created. */
async function admitPool(options: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const pool = objectOf<VirtualMachinePool>(request)
  if (isBeingDeleted(pool)) return { allowed: true }
  const member = memberToJudge(pool)
  if (member === undefined) {
    const message = 'missing virtual machine template.'
    return answerFor([{ reason: 'FieldValueRequired', message, field: 'spec.virtualMachineTemplate.spec' }], [])
  }
  const { causes, warnings } = await judgeVirtualMachine(options, member)
  const ofMember = causes.map(({ field, message, ...cause }) => ({
    ...cause,
    message: inTemplate(message),
    ...(field === undefined ? {} : { field: inTemplate(field) }),
  }))
  return answerFor([...ofMember, ...validatePool(pool, oldObjectOf(request))], [...warnOfPool(pool), ...warnings.map(inTemplate)])
}

async function admitDataImportCron({ foreignCdi }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const cron = objectOf<DataImportCron>(request)
  if (isBeingDeleted(cron) || (await foreignCdi())) return { allowed: true }
  const old = oldObjectOf<DataImportCron>(request)
  return answerFor(validateDataImportCron(cron, old), old === undefined ? warnOfDataImportCron(cron) : [])
}

function admitReplicaSet({ config }: AdmissionOptions, request: AdmissionRequest): AdmissionAnswer {
  const replicaSet = objectOf<VirtualMachineInstanceReplicaSet>(request)
  if (isBeingDeleted(replicaSet)) return { allowed: true }
  const { causes, warnings } = validateReplicaSet(replicaSet, config())
  const own = warnOfFieldsNotActedOn(replicaSet.spec.template.spec, virtualMachineInstanceFieldsNotActedOn)
  return answerFor(causes, [...own.map((text) => text.replace(/^spec\./, 'spec.template.spec.')), ...warnings])
}

/** @throws StatusError 400 for a second object */
async function assertFirstKubeVirt(client: Pick<Client, 'list'>, { namespace = '', name = '' }: AdmissionRequest): Promise<void> {
  const { items } = await client.list(kubeVirts)
  const obstacle = whyNotCreated(items, { namespace, name })
  if (obstacle !== undefined) throw badRequest(obstacle)
}

async function admitRestore({ client }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const old = oldObjectOf<VirtualMachineRestore>(request)
  const { items } = old === undefined ? await client.list(virtualMachineRestores, { namespace: request.namespace ?? '' }) : { items: [] }
  return answerFor(validateRestore(objectOf(request), old, items), [])
}

async function admitMigration({ client }: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const migration = objectOf<VirtualMachineInstanceMigration>(request)
  const { namespace = '', userInfo } = request
  const { items: others } = await client.list(virtualMachineInstanceMigrations, { namespace })
  const name = migration.spec.vmiName ?? ''
  const vmi = name === '' ? undefined : await found(client.get(virtualMachineInstances, { namespace, name }))
  const isSystem = isComponent(userInfo)
  return answerFor(validateMigration(migration, { vmi, others, isSystem }), [])
}

/**
 * A VM may be created before the objects that it names: the VM controller reports that and waits.
 */
async function ifFound<T>({ log }: AdmissionOptions, find: () => Promise<Found<T> | undefined>): Promise<T | undefined> {
  try {
    return (await find())?.object
  } catch (error) {
    log.debug({ error }, 'A VM names something that cannot be found')
    return undefined
  }
}

async function admitVmi(options: AdmissionOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const vmi = objectOf<VirtualMachineInstance>(request)
  const { spec, metadata } = vmi
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachine')
  const isOfController = isComponent(request.userInfo)
  const creator = {
    isComponent: isOfController,
    hasRun: isOfController && owner !== undefined && (await hasRun(options, request, owner.name)),
  }
  const { causes, warnings } = admitNewVmi(vmi, options.config(), creator)
  // The user of the VM has already got the warnings.
  if (owner !== undefined) return answerFor(causes, [])
  return answerFor(causes, [...warnOfFieldsNotActedOn(spec, virtualMachineInstanceFieldsNotActedOn), ...warnings])
}

/** Reports whether a VM has had a guest: its status then names the hardware of the guest. */
async function hasRun({ client }: AdmissionOptions, { namespace = '' }: AdmissionRequest, name: string): Promise<boolean> {
  const vm = await found(client.get(virtualMachines, { namespace, name }))
  return vm?.status?.steadyvm?.hardware !== undefined
}

/** Registered for users only; a request of a component is allowed. */
function admitVmiUpdate(request: AdmissionRequest): AdmissionAnswer {
  if (isComponent(request.userInfo)) return { allowed: true }
  return answerFor(validateVmiUpdate(objectOf(request), request.oldObject as VirtualMachineInstance), [])
}

/** The registered rules have one kind per path, and no deletions. */
function objectOf<T>(request: AdmissionRequest): T {
  return request.object as T
}

/** The old object; undefined for a creation. */
function oldObjectOf<T>(request: AdmissionRequest): T | undefined {
  return (request.oldObject ?? undefined) as T | undefined
}
