import type { Int64 } from '#api/scalars.ts'

/** Privileges of all containers of a pod. */
export interface PodSecurityContext {
  /** SELinux label. */
  seLinuxOptions?: SELinuxOptions
  /** Windows only. */
  windowsOptions?: WindowsSecurityContextOptions
  /** User id. */
  runAsUser?: Int64
  /** Group id. */
  runAsGroup?: Int64
  /** Refuses to run as root. */
  runAsNonRoot?: boolean
  /**
   * Further groups.
   * @listType atomic
   */
  supplementalGroups?: Int64[]
  /** How supplemental groups and the image's groups combine. */
  supplementalGroupsPolicy?: string
  /** Group that owns the volumes. */
  fsGroup?: Int64
  /**
   * Kernel settings.
   * @listType atomic
   */
  sysctls?: Sysctl[]
  /** When the ownership of volumes is changed. */
  fsGroupChangePolicy?: string
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile
  /** How volumes are labelled for SELinux. */
  seLinuxChangePolicy?: string
}

/** A kernel setting. */
export interface Sysctl {
  /** Name of the setting. */
  name: string
  /** Value of the setting. */
  value: string
}

/** Linux capabilities to add and drop. */
export interface Capabilities {
  /**
   * Added ones.
   * @listType atomic
   */
  add?: string[]
  /**
   * Dropped ones.
   * @listType atomic
   */
  drop?: string[]
}

/** SELinux label. */
export interface SELinuxOptions {
  /** User part. */
  user?: string
  /** Role part. */
  role?: string
  /** Type part. */
  type?: string
  /** Level part. */
  level?: string
}

/** Seccomp profile. */
export interface SeccompProfile {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string
  /** File of a Localhost profile. */
  localhostProfile?: string
}

/** AppArmor profile. */
export interface AppArmorProfile {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string
  /** Name of a Localhost profile. */
  localhostProfile?: string
}

/** Options for Windows containers. */
export interface WindowsSecurityContextOptions {
  /** Name of the credential spec. */
  gmsaCredentialSpecName?: string
  /** The credential spec. */
  gmsaCredentialSpec?: string
  /** User name. */
  runAsUserName?: string
  /** Runs in the host's process. */
  hostProcess?: boolean
}
