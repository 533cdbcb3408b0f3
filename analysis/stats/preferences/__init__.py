"""Statistics of comparisons: preferences, best–worst, rankings and ABX (rules D14 and D15).

Two clips with a preferred one: `paired` for all systems, `duel` for two. Several clips:
`best_worst`, `rankings`. ABX and same–different: `discrimination`. XAB (a third clip, no right answer) is `paired`.
"""
