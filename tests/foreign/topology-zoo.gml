graph [
  DateObtained "22/10/10"
  GeoLocation "Nowhere"
  Network "Made"
  node [
    id 0
    label "North"
    Longitude -1.25
    Latitude 50.5
    Internal 1
  ]
  node [
    id 1
    label "South &#38; West"
    Longitude 2.0
    Latitude 49.0
  ]
  node [
    id 2
    label "East"
    type "Green"
  ]
  edge [
    source 0
    target 1
    LinkLabel "< 2.5 Gbit/s"
    id "e0"
  ]
  edge [
    source 0
    target 1
    LinkSpeedRaw 10000000000.0
    id "e1"
  ]
  edge [
    source 1
    target 2
  ]
]
