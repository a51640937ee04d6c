graph [
  node [
    id 0
    label "a"
    processor 1
  ]
  node [
    id 1
    label "b"
    processor 0
  ]
  node [
    id 2
    label "c"
    processor 1
  ]
  edge [
    source 0
    target 1
    weight 0.5
  ]
  edge [
    source 1
    target 2
    weight 2
  ]
]
