import type { PodSecurityCheck } from '../check.ts'
import { forbiddenSeccompProfile } from '../seccomp-profile.ts'

/**
 * No unconfined profile. Standards before 1.19 had this rule for annotations only, which this
 * server's kubelets have never read.
 */
export const seccompProfileBaseline: PodSecurityCheck = { id: 'seccompProfile_baseline', since: 19, run: forbiddenSeccompProfile }
