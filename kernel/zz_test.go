package kernel
import ("testing";"time";"fmt";"math/rand/v2";"unsafe")
func best(n int, f func()) float64 { b:=1e9; for range n { s:=time.Now(); f(); if d:=time.Since(s).Seconds(); d<b {b=d} }; return b }
func micro[T Float](t *testing.T, p,q,r int){
 rng:=rand.New(rand.NewPCG(1,1))
 x,g,a,c:=random[T](rng,p,q),random[T](rng,r,q),random[T](rng,r,p),NewMatrix[T](r,q)
 P:=NewMatrix[T](8,min(q,512))
 b:=NewMatrix[T](r,r); inv:=make([]T,r); Gram(b,g); Reciprocals(inv,b)
 vt:=random[T](rng,r,p)
 fl:=2*float64(p)*float64(q)*float64(r)/1e9
 fmt.Printf("%T %dx%dx%d ", *new(T),p,q,r)
 fmt.Printf("contract %.1f ", fl/best(3000,func(){Contract(a,x,g)}))
 fmt.Printf("accum %.1f ", fl/best(3000,func(){Accumulate(c,vt,x)}))
 fmt.Printf("product %.1f ", fl*8/float64(p)*float64(min(q,512))/float64(q)/best(3000,func(){Product(P,vt.Slice(0,r,0,8),g.Slice(0,r,0,min(q,512)))}))
 fmt.Printf("sweep %.1f ", 2*float64(r*r*p)/1e9/best(3000,func(){Sweep(vt,a,b,inv,0,Matrix[T]{})}))
 m:=random[T](rng,p,q); w:=g.Row(0); v:=make([]T,p); acc:=make([]T,q)
 by:=float64(p*q)*float64(unsafe.Sizeof(*new(T)))/1e9
 fmt.Printf("rank1 never %.1f ", by/best(3000,func(){RankOne(acc,v,x,w,0.1,0,Multiplier[T]{})}))
 fmt.Printf("before %.1f after %.1f GB/s(N only)\n", by/best(3000,func(){RankOne(acc,v,x,w,0.1,0,Multiplier[T]{When:Before,M:m,Mu:0.1})}),by/best(3000,func(){RankOne(acc,v,x,w,0.1,0,Multiplier[T]{When:After,M:m,Mu:0.1})}))
}
func TestMicro(t *testing.T){
 micro[float64](t,40,361,49)
 micro[float64](t,40,360,49)
 micro[float64](t,40,184,49)
 micro[float64](t,40,512,49)
 micro[float64](t,40,2000,20)
 micro[float32](t,80,361,49)
 micro[float32](t,80,2000,20)
 micro[float64](t,2400,361,1)
}
