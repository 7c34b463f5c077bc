import type { NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32 } from '#api/scalars.ts'

/** Placement, logs and optional components. */
export interface DeploymentConfig {
  /** Nodes of the components. */
  nodePlacements?: NodePlacements
  /**
   * Policy for an uninstallation while workloads exist: RemoveWorkloads or
   * BlockUninstallIfWorkloadsExist.
   * @enum RemoveWorkloads,BlockUninstallIfWorkloadsExist
   * @default BlockUninstallIfWorkloadsExist
   */
  uninstallStrategy?: string
  /** Verbosity of logs. */
  logVerbosityConfig?: LogVerbosityConfiguration
  /**
   * Quotas that count guests and not their pods.
   * @default {}
   */
  applicationAwareConfig?: ApplicationAwareConfigurations
  /**
   * True deploys the proxy of VM consoles.
   * @default false
   */
  deployVmConsoleProxy?: boolean
  /**
   * True deploys the injector of network resources.
   * @default true
   */
  deployNetworkResourcesInjector?: boolean
}

/** Nodes of the components. */
export interface NodePlacements {
  /** Nodes of the control plane of the components. */
  infra?: NodePlacement
  /** Nodes of guests and node agents. */
  workload?: NodePlacement
}

/** Verbosity of logs. */
export interface LogVerbosityConfiguration {
  /** KubeVirt. */
  kubevirt?: KubeVirtLogVerbosity
  /** Importer of disk images (CDI). */
  cdi?: Int32
}

/** Verbosity of KubeVirt's logs. */
export interface KubeVirtLogVerbosity {
  /** Operator. */
  virtOperator?: Int32
  /** API server of VMs. */
  virtAPI?: Int32
  /** Controllers. */
  virtController?: Int32
  /** Node agents. */
  virtHandler?: Int32
  /** Launchers of guests. */
  virtLauncher?: Int32
  /** Node agents by node. */
  nodeVerbosity?: Record<string, Int32>
}

/** Quotas that count guests and not their pods. */
export interface ApplicationAwareConfigurations {
  /**
   * True deploys the operator of application-aware quotas (AAQ).
   * @default false
   */
  enable?: boolean
  /**
   * Method that counts the resources of a guest.
   * @enum VmiPodUsage,VirtualResources,DedicatedVirtualResources,
   * IgnoreVmiCalculator,GuestEffectiveResources
   * @default DedicatedVirtualResources
   */
  vmiCalcConfigName?: string
  /** Selector of namespaces. */
  namespaceSelector?: LabelSelector
  /**
   * True allows quotas of several namespaces.
   * @default false
   */
  allowApplicationAwareClusterResourceQuota?: boolean
}
