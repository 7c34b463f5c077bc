/**
 * Instance types and preferences of VMs: expands them into the guest's hardware, validates them,
 * and captures them in ControllerRevisions that pin a VM to what it was created with. `expand` is
 * the pure core that admission, controllers and `plan` share; `capture` stores revisions,
 * `findInstancetype` and `findPreference` read them, `decodeRevision` knows all API versions,
 * `referencesOf` lists the fields that name revisions. Upgrading stored revisions is `revision-
 * upgrade`, collecting shared ones is `revision-gc`.
 */
export { validateInstancetype, validateMatchers, validatePreference, type Verdict } from './admission/admission.ts'
export { conflictCauses, describeConflicts, templateSpecPath, type Conflict } from './conflict.ts'
export { expand, nameAnnotations, type Expansion } from './expand/expand.ts'
export { explain, type Origin, type Row } from './expand/explain.ts'
export { overridden, type ExpansionInputs, type Overridden } from './expand/overridden.ts'
export type { Source } from './expand/sources.ts'
export { expandVirtualMachine } from './expand/expanded-vm.ts'
export { sizedDomain, type SizedDomain } from './expand/sized-domain.ts'
export { findInstancetype, findPreference } from './find/find.ts'
export { liveInCache } from './find/live.ts'
export { objectInSource, sizeSourceInCache } from './find/cached.ts'
export { isRefreshed, refreshAnnotation } from './find/pin.ts'
export { lookupIn, type Found, type Lookup } from './lookup.ts'
export { addReplacedNames, formerNamesOf, currentNameOf, replacedNames } from './find/replaced-names.ts'
export {
  instancetypeKindOf,
  isNamespacedKind,
  preferenceKindOf,
  UnexpectedKind,
  type Family,
  type InstancetypeKind,
  type PreferenceKind,
} from './matcher.ts'
export { leavesStorageClassOpen, preferStorageClass } from './prefer/storage-class.ts'
export { warnOfPreferencesWithoutEffect } from './prefer/without-effect.ts'
export { InferenceFailed } from './infer/inference-failed.ts'
export { inferMatchers, rememberInferred, settleMatchers } from './infer/infer.ts'
export { findIndivisibleSpread } from './requirement/divisibility.ts'
export { contentsByRevision, isRevisionOf, ownerUids, revisionsByOwner, startsByRevision, vmsByRevision } from './references/owner-index.ts'
export { referencesOf, referencedRevisions, type Reference } from './references/references.ts'
export { isNamedAfterCapture, objectNameIn, objectInRevision, type NamedObject } from './references/revision-object.ts'
export { startRevisionName, startRevisionPrefix, startRevisionPrefixOf } from './references/start-revision-name.ts'
export { findUnmetRequirement, requirementCause } from './requirement/requirement.ts'
export { captureFailure, CaptureFailed } from './capture/capture-failed.ts'
export { capture, findMatchedObjects, type MatchedObjects } from './capture/capture.ts'
export { changesBetween, type Change } from './capture/diff.ts'
export { claimRevision, claimedAt, claimGraceMs } from './capture/claim.ts'
export { decodeRevision, knownVersions, latestVersion, RevisionUndecodable } from './codec/codec.ts'
export { convertVersion, isWritable } from './codec/convert.ts'
export { holderOf, ownerReferenceTo, type Holder } from './codec/holder.ts'
export { deleteRevision } from './capture/delete.ts'
export { revisionFormatOf, hasFormat, isShared, type RevisionFormat } from './codec/storage-format.ts'
export { familyOf, revisionHistory, type HistoryEntry } from './capture/history.ts'
export { updateHistory } from './capture/capture-status.ts'
export { isSharedCapture } from './capture/collectable.ts'
export { storeRevision } from './capture/store.ts'
export { reuseNames, touchRevision } from './capture/reuse-name.ts'
export { withRevisionNames } from './capture/with-revision-names.ts'
export type { Instancetype, Preference } from './types.ts'
