/** How bad a finding is: an error makes upgrades impossible, or wrong. */
export type GraphSeverity = 'error' | 'warning'

/** What a check is about. */
export interface CheckRule {
  readonly severity: GraphSeverity
  /** What follows from the finding. */
  readonly why: string
  readonly remedy: string
}

/** Ids of checks. Scripts and documentation refer to them: they do not change. */
export type CheckId =
  | 'invalid-catalog'
  | 'ignored-part'
  | 'default-channel-missing'
  | 'no-head'
  | 'multi-head'
  | 'cycle'
  | 'stranded'
  | 'replaces-missing'
  | 'bad-skiprange'
  | 'dead-end'
  | 'skipped-bridge'
  | 'unreachable-head'
  | 'upgrade-loop'
  | 'version-decreases'
  | 'missing-required-stop'
  | 'longest-path'
  | 'skiprange-self'
  | 'redundant-edge'
  | 'deprecated-head'
  | 'cross-channel-gap'
  | 'patches-diverge'

/** Severity, consequence and remedy of each check. */
export const checkRules: Readonly<Record<CheckId, CheckRule>> = {
  'invalid-catalog': {
    severity: 'error',
    why: 'the catalog is not served: opm refuses it as a whole',
    remedy: 'correct the object',
  },
  'ignored-part': {
    severity: 'warning',
    why: 'it is ignored in silence by opm: a misspelled field of an entry is an upgrade that is not there',
    remedy: 'correct the spelling, or remove it',
  },
  'default-channel-missing': {
    severity: 'error',
    why: 'a subscription without a channel finds no version',
    remedy: 'set defaultChannel of the package to a channel that it has',
  },
  'no-head': {
    severity: 'error',
    why: 'OLM v0 finds no version to begin with, and upgrades nothing in the channel',
    remedy: 'add an entry that no other one replaces or skips',
  },
  'multi-head': {
    severity: 'error',
    why: 'OLM v0 does not know which one is the newest, and upgrades nothing in the channel',
    remedy: 'let the newest one replace or skip the others',
  },
  cycle: {
    severity: 'error',
    why: 'OLM v0 gives the channel up when "replaces" leads back to where it was',
    remedy: 'remove "replaces" from the oldest entry of the circle',
  },
  stranded: {
    severity: 'error',
    why: 'the catalog is not served, since the versions are in no order to the others',
    remedy: 'let the next newer entry replace each of them, or let another one skip them',
  },
  'replaces-missing': {
    severity: 'error',
    why: 'the entry is a second end of the channel: what is before it was lost when the catalog was made',
    remedy: 'add the missing entry to the channel, or replace one that it has',
  },
  'bad-skiprange': {
    severity: 'error',
    why: 'the range holds for no version, and opm refuses the catalog',
    remedy: 'write comparators with whole versions, such as ">=1.0.0 <1.2.0"',
  },
  'dead-end': {
    severity: 'error',
    why: 'an installation of this version is never upgraded again',
    remedy: 'let a newer entry replace or skip it, or have it in its skipRange',
  },
  'skipped-bridge': {
    severity: 'error',
    why: 'OLM v0 never chooses a version that another entry skips, so that the way over it does not exist',
    remedy: 'let an entry that is not skipped replace or skip this version, too',
  },
  'unreachable-head': {
    severity: 'error',
    why: 'an installation of this version is upgraded, but never to the newest one',
    remedy: 'add a step from where its way ends',
  },
  'upgrade-loop': {
    severity: 'error',
    why: 'OLM moves an installation between these versions without end',
    remedy: 'end skipRange below the version that has it, and replace older versions only',
  },
  'version-decreases': {
    severity: 'warning',
    why: 'OLM goes back to a lower version by this step',
    remedy: 'end skipRange below the version that has it, and replace older versions only',
  },
  'missing-required-stop': {
    severity: 'error',
    why: 'OLM takes the step, and what the required version does is not done',
    remedy: 'begin skipRange at the required version, and remove what names versions before it',
  },
  'longest-path': {
    severity: 'warning',
    why: 'an installation of this version is upgraded more often than is allowed before it is at the newest one',
    remedy: 'add a step from it to a newer version, and test it',
  },
  'skiprange-self': {
    severity: 'warning',
    why: 'the version is an upgrade of itself',
    remedy: 'end skipRange below it',
  },
  'redundant-edge': {
    severity: 'warning',
    why: 'the version that is replaced is skipped as well, so that OLM v0 never installs it',
    remedy: 'remove it from skips, unless it has a defect',
  },
  'deprecated-head': {
    severity: 'warning',
    why: 'OLM upgrades installations to a version that should not be used',
    remedy: 'release a newer version, or deprecate the channel instead',
  },
  'cross-channel-gap': {
    severity: 'warning',
    why: 'an installation at the end of this channel finds no upgrade in any newer one',
    remedy: 'add its last version to a newer channel, or let an entry there replace or skip it',
  },
  'patches-diverge': {
    severity: 'error',
    why: 'the result of an upgrade depends on the versions in between',
    remedy: 'let the patch hold from every version before its own on',
  },
}
