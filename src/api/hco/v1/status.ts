import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { AnyJson, Int64, RawObject, Time } from '#api/scalars.ts'

/** Observed state of a platform. */
export interface HyperConvergedStatus {
  /**
   * Conditions of the platform: ReconcileComplete, Available, Progressing, Degraded, Upgradeable.
   * @listType map key=type
   */
  conditions?: Condition[]
  /**
   * Objects that the operator maintains.
   * @listType atomic
   */
  relatedObjects?: RelatedObject[]
  /**
   * Versions that run.
   * @listType map key=name
   */
  versions?: ComponentVersion[]
  /** Generation of the spec that the status refers to. */
  observedGeneration?: Int64
  /** Schedule of the import of common boot images. */
  dataImportSchedule?: string
  /**
   * Boot images that are imported.
   * @listType atomic
   */
  dataImportCronTemplates?: DataImportCronTemplateStatus[]
  /** Health in one word: healthy, warning or error. */
  systemHealthStatus?: string
  /** True if several nodes run guests. */
  infrastructureHighlyAvailable?: boolean
  /** Architectures of the nodes. */
  nodeInfo?: NodeInfo
  /** Status of the platform that steadyvm adds to the fields of HyperConverged. */
  steadyvm?: HyperConvergedSteadyStatus
}

/** Object that the operator maintains. */
export interface RelatedObject {
  /** Group and version. */
  apiVersion?: string
  /** Kind. */
  kind?: string
  /** Namespace; absent for cluster-scoped objects. */
  namespace?: string
  /** Name. */
  name?: string
  /** UID. */
  uid?: string
  /** Resource version at the last change by the operator. */
  resourceVersion?: string
}

/** Version of a component. */
export interface ComponentVersion {
  /** Name of the component. */
  name: string
  /** Version that runs. */
  version?: string
}

/** Boot image that is imported. */
export interface DataImportCronTemplateStatus {
  /** Name, labels and annotations of the DataImportCron. */
  metadata?: RawObject
  /** Spec of the DataImportCron. */
  spec?: RawObject | null
  /** State of the import. */
  status?: RawObject
}

/** Architectures of the nodes. */
export interface NodeInfo {
  /**
   * Architectures of the nodes that run guests.
   * @listType atomic
   */
  workloadsArchitectures?: string[]
  /**
   * Architectures of the nodes of the control plane.
   * @listType atomic
   */
  controlPlaneArchitectures?: string[]
  /** Architecture of VMs without one. */
  defaultWorkloadArchitecture?: string
}

/** Status of a platform that steadyvm adds. */
export interface HyperConvergedSteadyStatus {
  /**
   * State of each component.
   * @listType map key=name
   */
  components?: ComponentStatus[]
  /**
   * Defaults of feature gates that are in force. A later version that has other defaults compares.
   * @listType map key=name
   */
  gateDefaults?: GateDefault[]
  /** Facts beside the spec from which the operator renders the components. */
  inputs?: RenderingInputs
  /** Configuration that the components have. */
  configuration?: AppliedConfiguration
  /** The upgrade to the version of the operator, or the last one. */
  upgrade?: PlatformUpgrade
}

/** Facts beside the spec from which the operator renders the components. */
export interface RenderingInputs {
  /**
   * Settings of the operator's environment that are used.
   * @listType map key=name
   */
  environment?: EnvironmentSetting[]
  /** True on OpenShift. */
  openShift?: boolean
  /** TLS profile of the cluster, for which HyperConverged has none of its own. */
  tlsSecurityProfile?: RawObject
}

/** Variable in the environment of the operator. */
export interface EnvironmentSetting {
  /** Name of the variable. */
  name: string
  /** Value of the variable. */
  value: string
}

/** Default of a feature gate. */
export interface GateDefault {
  /** Name of the feature gate. */
  name: string
  /** State of the gate while it is not listed: Enabled or Disabled. */
  state: string
  /** Default of the running version, if it waits for consent: Enabled or Disabled. */
  pending?: string
}

/** Configuration that the components have. */
export interface AppliedConfiguration {
  /** Generation of the spec that was last applied to all components. */
  generation?: Int64
  /** Hash of that spec and of the annotations that configure components. */
  revision?: string
  /** Edit that a component has refused, and that was rolled back. */
  rolledBack?: RolledBackEdit
}

/** Edit that was rolled back. */
export interface RolledBackEdit {
  /** Generation of the spec that was refused. */
  generation: Int64
  /** Hash of that spec and of the annotations that configure components. */
  revision: string
  /** Component that has refused it. */
  component: string
  /** Message of the component. */
  message: string
}

/** Upgrade of the platform to another version. */
export interface PlatformUpgrade {
  /** Version before the upgrade; empty if it is not known. */
  from: string
  /** Version of the operator. */
  to: string
  /**
   * Stage of the upgrade: Preflight (it is refused), Patches, Components, Removal, Complete, or
   * Abandoned (the operator of the version before was installed again).
   */
  stage: string
  /** What the stage waits for, or why the upgrade is refused. */
  message?: string
  /** Time at which the upgrade started. */
  startedAt: Time
  /** Time at which the upgrade was complete or abandoned. */
  completedAt?: Time
  /**
   * Components that the upgrade waits for or has waited for.
   * @listType map key=name
   */
  components?: ComponentUpgrade[]
  /**
   * Patches of the spec, also those of earlier upgrades. Each is decided once.
   * @listType map key=id
   */
  patches?: UpgradePatchRecord[]
  /**
   * Objects of older versions that the upgrade has removed.
   * @listType atomic
   */
  removed?: RemovedObject[]
}

/** Progress of a component in an upgrade. */
export interface ComponentUpgrade {
  /** Name of the component. */
  name: string
  /** True if the component is ready, and runs the version that is expected. */
  upgraded: boolean
  /** Version that runs. */
  version?: string
  /** Version that is expected; absent if the component decides. */
  expectedVersion?: string
  /** Stage of the component's own upgrade. */
  stage?: string
}

/** What became of a patch of the spec. */
export interface UpgradePatchRecord {
  /** Id of the patch in upgradePatches.json. */
  id: string
  /** Applied, or Skipped (its precondition did not hold). */
  result: string
  /** Version to which the upgrade was that decided about the patch. */
  version: string
  /** Time of the decision. Absent in records of older releases. */
  decidedAt?: Time
  /** Reason why the patch was skipped. */
  reason?: string
  /**
   * Fields that the patch has changed.
   * @listType atomic
   */
  changes?: PatchedFieldRecord[]
}

/** Field that an upgrade patch has changed. */
export interface PatchedFieldRecord {
  /** JSON pointer to the field: `/spec/virtualization/evictionStrategy`. */
  path: string
  /** Value after the patch; absent if the field was removed. */
  value?: AnyJson
}

/** Object of an older version that an upgrade has removed. */
export interface RemovedObject {
  /** Group and version. */
  apiVersion: string
  /** Kind. */
  kind: string
  /** Namespace; absent for cluster-scoped objects. */
  namespace?: string
  /** Name. */
  name: string
  /** Deleted, or NotFound (it did not exist, or its kind is not installed). */
  result: string
}

/** State of a component. */
export interface ComponentStatus {
  /** Name of the component: kubevirt, cdi, network-addons, ssp, aaq, migration or file-restore. */
  name: string
  /**
   * State in one word: Ready, Progressing, NotAvailable, Degraded, Failed, Absent (its kind is not
   * installed), NotWanted, or Deleting (it goes with HyperConverged).
   */
  state: string
  /** Kind and name of the object that configures the component. */
  object?: string
  /** Version that runs. */
  version?: string
  /** Version that is being installed. */
  targetVersion?: string
  /**
   * Conditions of the component that are not as those of a ready one.
   * @listType map key=type
   */
  conditions?: ComponentCondition[]
  /** Reason for the state. */
  message?: string
  /** Time since which the component has its state. */
  since?: Time
  /** Number of changes by others that the operator has reverted. */
  overwritten?: Int64
}

/** Condition of a component. */
export interface ComponentCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Reason for the status. */
  reason?: string
  /** Explanation of the status. */
  message?: string
}
