import type { Int64 } from '#api/scalars.ts'

/** Security context of all containers of a pod. */
export interface PodSecurityContext {
  /** SELinux label of the containers. */
  seLinuxOptions?: SELinuxOptions
  /** Options for Windows containers only. */
  windowsOptions?: WindowsSecurityContextOptions
  /** User ID that the containers run as. */
  runAsUser?: Int64
  /** Group ID that the containers run as. */
  runAsGroup?: Int64
  /** True if the containers must not run as root. */
  runAsNonRoot?: boolean
  /**
   * Supplemental group IDs of the containers.
   * @listType atomic
   */
  supplementalGroups?: Int64[]
  /** Policy for combining the supplemental groups with the groups of the image. */
  supplementalGroupsPolicy?: string
  /** ID of the group that owns the volumes. */
  fsGroup?: Int64
  /**
   * Kernel parameters to set.
   * @listType atomic
   */
  sysctls?: Sysctl[]
  /** Policy for changing the ownership of volumes. */
  fsGroupChangePolicy?: string
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile
  /** Policy for labelling volumes for SELinux. */
  seLinuxChangePolicy?: string
}

/** Kernel parameter. */
export interface Sysctl {
  /** Name of the parameter. */
  name: string
  /** Value of the parameter. */
  value: string
}

/** Linux capabilities to add and drop. */
export interface Capabilities {
  /**
   * Capabilities to add.
   * @listType atomic
   */
  add?: string[]
  /**
   * Capabilities to drop.
   * @listType atomic
   */
  drop?: string[]
}

/** SELinux label. */
export interface SELinuxOptions {
  /** User part of the label. */
  user?: string
  /** Role part of the label. */
  role?: string
  /** Type part of the label. */
  type?: string
  /** Level part of the label. */
  level?: string
}

/** Seccomp profile. */
export interface SeccompProfile {
  /** Type of the profile: Localhost, RuntimeDefault or Unconfined. */
  type: string
  /** Path of the file of a Localhost profile. */
  localhostProfile?: string
}

/** AppArmor profile. */
export interface AppArmorProfile {
  /** Type of the profile: Localhost, RuntimeDefault or Unconfined. */
  type: string
  /** Name of a Localhost profile. */
  localhostProfile?: string
}

/** Options for Windows containers. */
export interface WindowsSecurityContextOptions {
  /** Name of the GMSA credential spec. */
  gmsaCredentialSpecName?: string
  /** Content of the GMSA credential spec. */
  gmsaCredentialSpec?: string
  /** Name of the user that the container runs as. */
  runAsUserName?: string
  /** True if the container runs as a host process. */
  hostProcess?: boolean
}
