import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64 } from '#api/scalars.ts'

/** Rules about where a pod goes. */
export interface Affinity {
  /** By the labels of nodes. */
  nodeAffinity?: NodeAffinity
  /** Near other pods. */
  podAffinity?: PodAffinity
  /** Away from other pods. */
  podAntiAffinity?: PodAntiAffinity
}

/** Rules about the labels of nodes. */
export interface NodeAffinity {
  /** Must hold when the pod is placed. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  /**
   * Are weighed when the pod is placed.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[]
}

/**
 * Chooses nodes; any term suffices.
 * @mapType atomic
 */
export interface NodeSelector {
  /**
   * The terms.
   * @listType atomic
   */
  nodeSelectorTerms: NodeSelectorTerm[]
}

/**
 * Chooses nodes; all parts must match.
 * @mapType atomic
 */
export interface NodeSelectorTerm {
  /**
   * Conditions on labels.
   * @listType atomic
   */
  matchExpressions?: NodeSelectorRequirement[]
  /**
   * Conditions on fields.
   * @listType atomic
   */
  matchFields?: NodeSelectorRequirement[]
}

/** One condition on a node. */
export interface NodeSelectorRequirement {
  /** Label or field. */
  key: string
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator: string
  /**
   * Values to compare with.
   * @listType atomic
   */
  values?: string[]
}

/** A weighed condition on nodes. */
export interface PreferredSchedulingTerm {
  /** 1 to 100. */
  weight: Int32
  /** The condition. */
  preference: NodeSelectorTerm
}

/** Rules about being near other pods. */
export interface PodAffinity {
  /**
   * Must hold when the pod is placed.
   * @listType atomic
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  /**
   * Are weighed when the pod is placed.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

/** Rules about being away from other pods. */
export interface PodAntiAffinity {
  /**
   * Must hold when the pod is placed.
   * @listType atomic
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  /**
   * Are weighed when the pod is placed.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

/** Chooses pods, and says what "near" means. */
export interface PodAffinityTerm {
  /** The pods. */
  labelSelector?: LabelSelector
  /**
   * Their namespaces.
   * @listType atomic
   */
  namespaces?: string[]
  /** Nodes with the same value of this label are near each other. */
  topologyKey: string
  /** Their namespaces, by label. */
  namespaceSelector?: LabelSelector
  /**
   * Labels of this pod whose values the others must have.
   * @listType atomic
   */
  matchLabelKeys?: string[]
  /**
   * Labels of this pod whose values the others must not have.
   * @listType atomic
   */
  mismatchLabelKeys?: string[]
}

/** A weighed rule about other pods. */
export interface WeightedPodAffinityTerm {
  /** 1 to 100. */
  weight: Int32
  /** The rule. */
  podAffinityTerm: PodAffinityTerm
}

/** Lets a pod onto nodes with a taint. */
export interface Toleration {
  /** Taint key; empty with Exists matches all. */
  key?: string
  /** Exists or Equal. */
  operator?: string
  /** Taint value. */
  value?: string
  /** Taint effect; empty matches all. */
  effect?: string
  /** Seconds a NoExecute taint is borne. */
  tolerationSeconds?: Int64
}

/** Spreads pods over nodes. */
export interface TopologySpreadConstraint {
  /** Largest difference between any two domains. */
  maxSkew: Int32
  /** Nodes with the same value of this label are one domain. */
  topologyKey: string
  /** DoNotSchedule or ScheduleAnyway. */
  whenUnsatisfiable: string
  /** The pods that are counted. */
  labelSelector?: LabelSelector
  /** Least number of domains. */
  minDomains?: Int32
  /** Whether the pod's node affinity counts. */
  nodeAffinityPolicy?: string
  /** Whether taints count. */
  nodeTaintsPolicy?: string
  /**
   * Labels of the pod whose values the counted pods must have.
   * @listType atomic
   */
  matchLabelKeys?: string[]
}
